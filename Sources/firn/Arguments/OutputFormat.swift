import ArgumentParser
import Firn

/// A format that images can be written in.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case jpeg
    case png
    case webp
    case avif
    case jxl
    case gif

    /// `jpg` is what most people type.
    init?(argument: String) {
        self.init(rawValue: argument.lowercased() == "jpg" ? "jpeg" : argument.lowercased())
    }

    /// The format that a file's name asks for.
    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(argument: String(path[path.index(after: dot)...]))
    }

    /// The format nearest to that of a source: its own where it can be written quickly and as well, else PNG, which loses
    /// nothing.
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

    /// How files of it are named.
    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The endings of names that say what is to be written.
    static let endings = ".png, .jpg, .webp, .avif, .jxl or .gif"
}
