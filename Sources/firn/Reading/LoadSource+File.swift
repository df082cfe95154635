import Firn
import FoundationEssentials

extension LoadSource {
    /// Returns the file of a source on this machine, with its header read. Blocks.
    func file(
        limits: ImageLimits = ImageLimits(), previews: ImageFile.Previews? = nil
    ) throws(ImageFault) -> ImageFile {
        if let path { return try ImageFile(path, limits: limits, previews: previews) }
        return try ImageFile(data ?? Data(), limits: limits, previews: previews)
    }
}
