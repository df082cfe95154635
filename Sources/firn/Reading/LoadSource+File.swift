import Firn
import FoundationEssentials

extension LoadSource {
    /// The file, with its header read, of a source that is on this machine. Blocks.
    func file(
        limits: ImageLimits = ImageFile.limits, previews: ImageFile.Previews? = nil
    ) throws(ImageFault) -> ImageFile {
        if let path { return try ImageFile(path, limits: limits, previews: previews) }
        return try ImageFile(data ?? Data(), limits: limits, previews: previews)
    }
}
