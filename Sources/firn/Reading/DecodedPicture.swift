import Firn
import FirnReport

/// What `firn decode` says of one file.
struct DecodedPicture: Sendable {
    let path: String
    /// Size and, where asked for, the hash of the pixels.
    let outcome: Result<(size: PixelSize, digest: String?), PictureFault>
    /// Where the picture was written.
    let written: String?

    /// The fields are a contract; scripts depend on names and order.
    var json: JSONValue {
        switch outcome {
        case .failure(let fault): .object([("path", .string(path)), ("error", fault.json)])
        case .success(let picture):
            .object([
                ("path", .string(path)),
                ("width", .int(picture.size.width)),
                ("height", .int(picture.size.height)),
                ("sha256", JSONValue(picture.digest)),
            ])
        }
    }

    /// One line for people, as `sha256sum` prints it where a hash is wanted.
    var text: String {
        guard case .success(let picture) = outcome else { return path }
        if let digest = picture.digest { return "\(digest)  \(path)" }
        return "\(path): \(picture.size)" + (written.map { " -> \($0)" } ?? "")
    }
}
