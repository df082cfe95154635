import Firn
import FoundationEssentials

extension LoadSource {
    /// The file, with its header read, of a source that is on this machine. Blocks.
    func file(previews: PictureFile.Previews? = nil) throws(PictureFault) -> PictureFile {
        if let path { return try PictureFile(path, previews: previews) }
        return try PictureFile(data ?? Data(), previews: previews)
    }
}
