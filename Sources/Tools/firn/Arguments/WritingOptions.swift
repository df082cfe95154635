import ArgumentParser
import Firn
import FoundationEssentials

/// The options for writing images of `load` and `thumbnail`.
struct WritingOptions: ParsableArguments {
    @Option(
        help:
            "The format to write. Default: what the name says, or that of the source where it can be written, else png."
    )
    var format: OutputFormat?

    @Option(help: ArgumentHelp("Quality of lossy formats: from 0 to 1, or in percent.", valueName: "q"))
    var quality: QualityArgument?

    @Option(help: ColorArgument.help)
    var background = ColorArgument.white

    @OptionGroup
    var existing: ExistingFileOptions

    var isGiven: Bool {
        format != nil || quality != nil || existing.rule != .replaceOwn || background.description != "white"
    }
}

/// The treatment of sources whose output file exists.
struct ExistingFileOptions: ParsableArguments {
    @Flag(help: "Keep every existing file; its source then counts as done, and is not decoded.")
    var noClobber = false

    @Flag(
        help: """
            Work only on files that were changed after their output was written; the others count as done. Addresses \
            and other options are not compared.
            """)
    var newer = false

    func validate() throws {
        if noClobber, newer { throw ValidationError("--no-clobber and --newer exclude each other.") }
    }

    enum Rule: Sendable {
        /// Replaces a file that the command made before.
        case replaceOwn
        case keep
        /// Keeps a file that was written after the last change of its source.
        case keepNewer
    }

    var rule: Rule { noClobber ? .keep : newer ? .keepNewer : .replaceOwn }
}

/// An opaque color, by name or as `#ff8000`.
struct ColorArgument: CustomStringConvertible, Sendable {
    let color: SRGBColor
    /// The color as spelled by the user.
    let description: String

    /// The usual background of thumbnails.
    static let white = ColorArgument(color: .white, description: "white")

    static var help: ArgumentHelp {
        ArgumentHelp(
            "The color put below transparent images in formats without transparency (jpeg).", valueName: "color")
    }
}

extension ColorArgument: ExpressibleByArgument {
    init?(argument: String) {
        guard let color = SRGBColor(name: argument), color.alpha == 255 else { return nil }
        self.init(color: color, description: argument)
    }
}

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

    /// Creates the format nearest to that of a source: the same for JPEG and WebP, otherwise PNG, which is lossless.
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

    func encode(_ image: Bitmap, quality: Double? = nil) throws(ImageError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw ImageError(.unsupported, at: .encoding, "this build cannot write the format", format: format)
        }
        return try encoder.encode(image)
    }
}
