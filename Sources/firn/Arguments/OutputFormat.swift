import ArgumentParser
import Firn

/// A format that pictures can be written in.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case jpeg
    case png
    case webp

    /// `jpg` is what most people type.
    init?(argument: String) {
        self.init(rawValue: argument.lowercased() == "jpg" ? "jpeg" : argument.lowercased())
    }

    /// The format that a file's name asks for.
    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(argument: String(path[path.index(after: dot)...]))
    }

    /// The format nearest to that of a source: its own where it can be written, else PNG, which loses nothing.
    init(nearest format: ImageFormat?) {
        self = format.flatMap { OutputFormat(rawValue: $0.rawValue) } ?? .png
    }

    var format: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        }
    }

    /// How files of it are named.
    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

}
