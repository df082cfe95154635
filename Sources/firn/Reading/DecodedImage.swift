import Firn
import FirnReport

/// What `firn decode` says of one file.
struct DecodedImage: ImageFinding {
    let size: PixelSize
    /// The hash of the pixels, where it was asked for.
    let digest: String?
    /// Where the image was written.
    let written: String?

    var fields: [(name: String, value: JSONValue)] {
        [("width", .int(size.width)), ("height", .int(size.height)), ("sha256", JSONValue(digest))]
    }

    /// As `sha256sum` prints it where a hash is wanted.
    func lines(_ name: String) -> [String] {
        if let digest { return ["\(digest)  \(name)"] }
        return ["\(name): \(size)" + (written.map { " -> \($0)" } ?? "")]
    }
}
