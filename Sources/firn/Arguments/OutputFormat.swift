import ArgumentParser
import Firn

/// A format that can be written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case jpeg
    case png
    case webp
    case avif
    case jxl
    case gif

    /// `jpg` is the common spelling.
    init?(argument: String) {
        self.init(rawValue: argument.lowercased() == "jpg" ? "jpeg" : argument.lowercased())
    }

    /// Reads the format from a file's name.
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

    var format: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .jxl: .jxl
        case .gif: .gif
        }
    }

    /// The extension of its files.
    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The extensions that select a format.
    static let endings = ".png, .jpg, .webp, .avif, .jxl or .gif"
}
