import FoundationEssentials

/// The options for writing images, apart from their encoding.
struct WritingOptions: ParsableArguments {
    /// The rules for existing files, for help texts.
    static let rules = """
        A source is never overwritten. Another existing file stays, and the new image gets a number in its name, \
        unless the file was made from the same source before (extended attribute user.firn.source), has the same \
        bytes, or is the one that you named. --newer and --no-clobber continue an earlier run: they skip each source \
        whose output exists.
        """

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            The format to write: \(OutputFormat.names). Default: that of the output's name. 'load' and 'thumbnail' \
            also take that of the source, or png.
            """),
        completion: .list(OutputFormat.allCases.map(\.rawValue)), transform: OutputFormat.init(named:))
    var format: OutputFormat?

    @Option(help: ColorArgument.help)
    var background = ColorArgument.white

    @Flag(help: "Keep every existing file. Its source counts as done and is not decoded.")
    var noClobber = false

    @Flag(
        help: """
            Skip each file that was not changed after its output was written. URLs are always loaded, and other \
            options are not compared.
            """)
    var newer = false

    func validate() throws {
        if noClobber, newer { throw ValidationError("--no-clobber and --newer exclude each other.") }
    }

    var isGiven: Bool {
        format != nil || existing != .replaceOwn || background.description != "white"
    }

    /// The treatment of sources whose output file exists.
    enum ExistingFileRule: Sendable {
        /// Replaces a file that the command made before.
        case replaceOwn
        case keep
        /// Keeps a file that was written after the last change of its source.
        case keepNewer
    }

    var existing: ExistingFileRule { noClobber ? .keep : newer ? .keepNewer : .replaceOwn }
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
    case jpeg, png, webp, avif, jxl, gif, tiff, bmp, ico

    init?(argument: String) { self.init(rawValue: ImageFormat(ending: argument).rawValue) }

    /// The names of all formats, for texts.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// Creates the format that an option names.
    ///
    /// - Throws: a usage error with the formats, or with the one to use instead of a format that is only read.
    init(named text: String) throws {
        guard let format = OutputFormat(argument: text) else {
            throw ValidationError(OutputFormat.refusal(of: "x.\(text)") ?? "The formats are \(OutputFormat.names).")
        }
        self = format
    }

    /// Returns the reason why no image is written to a path: its ending is that of a format that is only read. `nil`
    /// for other endings.
    static func refusal(of path: String) -> String? {
        guard OutputFormat(path: path) == nil, let format = ImageFormat(path: path) else { return nil }
        let other = format == .heic ? .avif : OutputFormat(rawValue: format.rawValue) ?? .png
        let ending = ImageFormat.ending(of: path).uppercased()
        return "\(ending) is never written; use \(other.rawValue.uppercased()) instead."
    }

    var storesEXIF: Bool { ![.gif, .bmp, .ico].contains(self) }

    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(argument: String(path[path.index(after: dot)...]))
    }

    /// Creates the format nearest to that of a source: the same for JPEG and WebP, otherwise PNG, which is lossless.
    init(nearest format: ImageFormat?) {
        self = [.jpeg, .webp].first { $0.format == format } ?? .png
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
