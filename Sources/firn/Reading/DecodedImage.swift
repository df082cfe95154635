import Firn
import FirnReport

/// The result of `firn decode` for one file.
struct DecodedImage: ImageFinding {
    let size: PixelSize
    /// The hash of the pixels; `nil` if it was not requested.
    let digest: String?
    /// The path of the written image; `nil` if there is none.
    let written: String?

    var fields: [(name: String, value: JSONValue)] {
        [("width", .int(size.width)), ("height", .int(size.height)), ("sha256", JSONValue(digest))]
            + (written.map { [("out", .string($0))] } ?? [])
    }

    /// In the format of `sha256sum` if there is a hash.
    func lines(_ name: String) -> [String] {
        if let digest { return ["\(digest)  \(name)"] }
        return ["\(name): \(size)" + (written.map { " -> \($0)" } ?? "")]
    }
}
