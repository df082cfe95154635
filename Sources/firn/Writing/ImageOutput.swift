import Firn
import FirnReport
import FoundationEssentials

/// Writes the images of a batch: format, quality, background, path.
struct ImageOutput: Sendable {
    /// The result for one image.
    struct Result: Sendable {
        /// The path; `nil` for the standard output.
        var path: String?
        /// Whether an existing file was kept.
        var isKept = false
        /// Whether transparent pixels were put on the background.
        var isFlattened = false
    }

    let target: OutputTarget
    let places: OutputPlaces
    /// The output format; `nil` for that of the source if it can be written.
    var format: OutputFormat?
    /// Quality of lossy formats, from 0 to 1; `nil` for the encoder's default.
    var quality: Double?
    /// The color behind transparent images in formats without transparency.
    var background = ColorArgument.white
    /// Whether unchanged images are written with their original bytes.
    var copiesOriginals = false

    /// Whether bytes of this format are written unchanged.
    func copies(_ source: ImageFormat?) -> Bool {
        guard copiesOriginals, let source else { return false }
        return format == nil || format?.format == source || format == .png && source == .apng
    }

    /// Returns the existing file that makes work on a source needless; `nil` if there is none.
    ///
    /// The format of a file on this machine is known from its first bytes, otherwise it is taken from the name.
    func finished(_ source: LoadSource, at stem: String?) -> String? {
        switch target {
        case .standardOutput: return nil
        case .file(let path): return places.isFinished(source, toFile: path) ? path : nil
        case .folder, .beside, .pattern:
            return fileExtension(for: source).flatMap {
                places.finished(source, at: stem ?? OutputNames.stem(for: source), fileExtension: $0)
            }
        }
    }

    private func fileExtension(for source: LoadSource) -> String? {
        if let format { return format.fileExtension }
        let files = LocalFileSystem()
        let head = source.path.flatMap { try? files.read($0, first: ImageFormat.sniffLength) }
        guard let format = head.map({ ImageFormat.sniff($0) }) ?? ImageFormat(path: source.label) else { return nil }
        return copies(format)
            ? ImageOutput.fileExtension(of: head ?? Data(), format: format, name: source.label)
            : OutputFormat(nearest: format).fileExtension
    }

    private static func fileExtension(of data: Data, format: ImageFormat?, name: String) -> String {
        if format == .svg, data.starts(with: [0x1F, 0x8B]) { return "svgz" }
        return format?.fileExtension(like: name) ?? "bin"
    }

    /// Writes an image.
    ///
    /// - Parameter stem: the path that was reserved for the source.
    func write(
        _ image: Bitmap, format sourceFormat: ImageFormat?, of source: LoadSource, to stem: String?
    ) throws -> Result {
        let format = format ?? OutputFormat(nearest: sourceFormat)
        let isFlattened = format == .jpeg && !image.hasOnlyOpaquePixels
        let opaque = isFlattened ? try background.flattened(image) : image
        let data = try OutputEncoding.data(opaque, as: format.format, quality: quality)
        var result = try put(data, of: source, to: stem, fileExtension: format.fileExtension)
        result.isFlattened = isFlattened
        return result
    }

    /// Writes the original bytes of an image.
    func copy(_ data: Data, format: ImageFormat?, of source: LoadSource, to stem: String?) throws -> Result {
        try put(
            data, of: source, to: stem,
            fileExtension: ImageOutput.fileExtension(of: data, format: format, name: source.label))
    }

    /// Writes an encoded file.
    func put(
        _ data: Data, of source: LoadSource, to stem: String?, fileExtension: String
    ) throws -> Result {
        let place: OutputPlaces.Place
        switch target {
        case .standardOutput:
            if let reason = StandardOutput.write(data) { throw OutputFault.standardOutput(reason: reason) }
            return Result()
        case .file(let path): place = try places.write(data, of: source, toFile: path)
        case .folder, .beside, .pattern:
            let stem = stem ?? OutputNames.stem(for: source)
            let folder = PathText.split(stem).folder
            let branch = target.makesBranches ? source.branch : ""
            if !folder.isEmpty { try OutputTarget.makeFolder(folder, ofBranch: branch) }
            place = try places.write(data, of: source, to: stem, fileExtension: fileExtension)
        }
        if case .kept(let path) = place { return Result(path: path, isKept: true) }
        return Result(path: place.path)
    }
}

extension ColorArgument {
    /// Returns an image without transparent pixels.
    func flattened(_ image: Bitmap) throws -> Bitmap {
        try ImageProcessors.Flatten(background: color).process(ImageContainer(image: image)).image
    }
}

extension ImageFormat {
    /// Returns the extension for files of the format: that of `name` if it fits, otherwise the usual one.
    func fileExtension(like name: String) -> String {
        let own = ImageFormat.ending(of: name)
        return endings.contains(own.lowercased()) ? own : endings[0]
    }

    /// Reads the format from the extension of a file's name.
    fileprivate init?(path: String) {
        let own = ImageFormat.ending(of: path).lowercased()
        let known: [ImageFormat] = [
            .jpeg, .png, .apng, .gif, .webp, .avif, .heic, .jxl, .tiff, .bmp, .ico, .svg, .qoi,
        ]
        guard let format = known.first(where: { $0.endings.contains(own) }) else { return nil }
        self = format
    }

    private static func ending(of name: String) -> String {
        name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
    }

    /// The extensions of its files, the usual one first.
    private var endings: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .apng: ["png", "apng"]
        case .tiff: ["tif", "tiff"]
        case .heic: ["heic", "heif", "hif"]
        case .ico: ["ico", "cur"]
        case .svg: ["svg"]
        default: [rawValue]
        }
    }
}
