import ArgumentParser
import Firn
import FoundationEssentials

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case jpeg
    case png
    case webp
    case avif
    case jxl
    case gif
    case tiff
    case bmp
    case ico

    init?(argument: String) { self.init(rawValue: ImageFormat(ending: argument).rawValue) }

    var storesEXIF: Bool { ![.gif, .tiff, .bmp, .ico].contains(self) }

    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(argument: String(path[path.index(after: dot)...]))
    }

    /// Creates the format nearest to that of a source: the same if it can be written quickly without loss of quality,
    /// otherwise PNG, which is lossless.
    init(nearest format: ImageFormat?) {
        switch format {
        case .jpeg: self = .jpeg
        case .webp: self = .webp
        default: self = .png
        }
    }

    var format: ImageFormat { ImageFormat(rawValue: rawValue) }

    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The extensions that select a format.
    static let endings = ".png, .jpg, .webp, .avif, .jxl, .gif, .tiff, .bmp or .ico"

    func encode(_ image: Bitmap, quality: Double? = nil) throws(ImageEncodingError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw ImageEncodingError(format: format, .unsupported, message: "this build cannot write the format")
        }
        return try encoder.encode(image)
    }
}
