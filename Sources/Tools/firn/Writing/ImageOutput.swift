/// Writes the images of a batch, with format, quality, background and path.
struct ImageOutput: Sendable {
    let target: OutputTarget
    let places: OutputPlaces
    /// The output format; `nil` for that of the source if possible.
    var format: OutputFormat?
    /// Quality of lossy formats, from 0 to 1; `nil` for the encoder's default.
    var quality: Double?
    /// The color behind transparent images in formats without transparency.
    var background = ColorArgument.white
    /// True if unchanged images are written with their original bytes.
    var copiesOriginals = false

    /// Returns whether bytes of this format are written unchanged.
    func copies(_ source: ImageFormat?) -> Bool {
        guard copiesOriginals, let source else { return false }
        return format == nil || format?.format == source || format == .png && source == .apng
    }

    /// Returns the unique output path of each source, without extension; `nil` for sources with a fixed path.
    func stems(for list: SourceList) -> [String?] {
        list.items.map { source in
            source.failure == nil ? target.stem(for: source).map { places.reserve($0) } : nil
        }
    }

    /// Returns the existing file for which a source is skipped; `nil` if there is none.
    ///
    /// The format of a local file is read from its first bytes; otherwise the name decides.
    func finished(_ source: LoadSource, at stem: String?) -> String? {
        switch target {
        case .file(let path): return places.isFinished(source, toFile: path) ? path : nil
        case .folder, .pattern:
            return fileExtension(for: source).flatMap {
                places.finished(source, at: stem ?? source.outputName, fileExtension: $0)
            }
        }
    }

    private func fileExtension(for source: LoadSource) -> String? {
        if let format { return format.fileExtension }
        let files = LocalFileSystem()
        let head = source.path.flatMap { try? files.read($0, first: ImageFormat.sniffLength) }
        guard let format = head.map({ ImageFormat($0) }) ?? ImageFormat(path: source.label) else { return nil }
        return copies(format)
            ? ImageOutput.fileExtension(of: head ?? Data(), format: format, name: source.label)
            : OutputFormat(nearest: format).fileExtension
    }

    private static func fileExtension(of data: Data, format: ImageFormat?, name: String) -> String {
        if format == .svg, data.starts(with: [0x1F, 0x8B]) { return "svgz" }
        return format?.fileExtension(like: name) ?? "bin"
    }

    /// Writes an image, or its original bytes if it is unchanged.
    ///
    /// - Parameters:
    ///   - original: the bytes, if they were loaded.
    ///   - stem: the path that was reserved for the source.
    func write(
        _ image: Bitmap, original: Data?, format sourceFormat: ImageFormat?, of source: LoadSource, to stem: String?
    ) throws -> OutputPlaces.Place {
        if copies(sourceFormat), let data = try original ?? source.data ?? source.path.map(LocalFileSystem().read) {
            let suffix = ImageOutput.fileExtension(of: data, format: sourceFormat, name: source.label)
            return try put(data, of: source, to: stem, fileExtension: suffix)
        }
        let format = format ?? OutputFormat(nearest: sourceFormat)
        let (opaque, isFlattened) = try background.flattened(image, for: format)
        let data = try format.encode(opaque, quality: quality)
        var place = try put(data, of: source, to: stem, fileExtension: format.fileExtension)
        place.isFlattened = isFlattened
        return place
    }

    func put(
        _ data: Data, of source: LoadSource, to stem: String?, fileExtension: String
    ) throws(ImageFault) -> OutputPlaces.Place {
        switch target {
        case .file(let path): return try places.write(data, of: source, toFile: path)
        case .folder, .pattern:
            let stem = stem ?? source.outputName
            let folder = PathText.split(stem).folder
            if !folder.isEmpty { try target.makeFolder(folder, for: source) }
            return try places.write(data, of: source, to: stem, fileExtension: fileExtension)
        }
    }
}

extension ColorArgument {
    /// Returns the image without transparency if the format has none, and whether that changed it.
    func flattened(_ image: Bitmap, for format: OutputFormat) throws -> (image: Bitmap, isFlattened: Bool) {
        guard format == .jpeg, !image.hasOnlyOpaquePixels else { return (image, false) }
        return (try ImageProcessors.Flatten(background: color).process(ImageContainer(image: image)).image, true)
    }
}

extension ImageFormat {
    /// Returns the extension for the format: that of `name` if it fits, otherwise the usual one.
    func fileExtension(like name: String) -> String {
        let suffix = ImageFormat.ending(of: name)
        let endings = KnownFormat.of(self)?.endings ?? [rawValue]
        return endings.contains(suffix.lowercased()) ? suffix : endings[0]
    }

    init?(path: String) {
        let suffix = ImageFormat.ending(of: path).lowercased()
        guard let known = KnownFormat.all.first(where: { $0.endings.contains(suffix) }) else { return nil }
        self = known.format
    }

    static func ending(of name: String) -> String {
        name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
    }
}
