#if GTK
import Firn
import FoundationEssentials

/// A line of a list: a source, or a JSON object that also has its BlurHash, as `firn placeholder --json` prints it.
struct ListedImage {
    /// A path or an address.
    let source: String
    /// The BlurHash; `nil` for a line without one, or with a damaged one.
    let hash: ListedHash?

    /// The fields that are read; all others are ignored.
    private struct Fields: Decodable {
        let source, path, url: String?
        let blurHash: String?
        let width, height: Int?
    }

    /// Fails for an object that names no source.
    init?(_ line: String) {
        guard line.hasPrefix("{") else {
            source = line
            hash = nil
            return
        }
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8)),
            let source = fields.source ?? fields.path ?? fields.url, !source.isEmpty
        else { return nil }
        self.source = source
        hash = fields.blurHash.flatMap { ListedHash($0, width: fields.width ?? 0, height: fields.height ?? 0) }
    }
}

/// A BlurHash, and the size of its image if that is known. An object, because most images have none.
final class ListedHash: Sendable {
    let text: String
    private let size: PixelSize

    /// Fails for a damaged hash.
    init?(_ text: String, width: Int, height: Int) {
        guard BlurHash(text) != nil else { return nil }
        self.text = text
        size = PixelSize(width: max(0, width), height: max(0, height))
    }

    /// Returns the blurred image in the shape of the image; `nil` if its size is not known.
    var shaped: Bitmap? {
        size.isEmpty ? nil : BlurHash(text)?.bitmap(size: TargetSize(ListedHash.side).resolved(for: size))
    }

    /// The longer side of a blurred image, which is stretched.
    private static let side = 32
}
#endif
