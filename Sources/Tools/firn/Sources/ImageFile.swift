import FirnSync
import FoundationEssentials

/// An image file, opened with the decoder of its format.
struct ImageFile {
    let properties: ImageProperties
    let decoder: ImageDecoder
    private let source: any ByteSource

    /// The number of bytes between previews.
    private static let previewStep = 16 << 10

    /// The consumer of previews of a partly read file.
    struct Previews {
        let options: DecodingOptions
        let show: (Bitmap) throws -> Void
    }

    /// Opens the file of a local source and reads its header. Blocks.
    ///
    /// - Parameter previews: receives previews. The decoder then gets the file in pieces, as from a network.
    init(_ origin: LoadSource, limits: ImageLimits = ImageLimits(), previews: Previews? = nil) throws {
        source = try origin.path.map { try ImageFile.open($0, limits) } ?? MemoryByteSource(origin.data ?? Data())
        if source.count == 0 { throw ImageFault("data", "the file is empty") }
        decoder = ImageDecoder(limits: limits)
        if let previews {
            try ImageFile.feed(source, to: decoder, previews)
        } else {
            try decoder.append(contentsOf: source)
        }
        decoder.finish()
        if let error = decoder.error { throw error }
        guard let properties = decoder.properties else {
            throw ImageFault("data", "the file ends before its header is complete")
        }
        self.properties = properties
    }

    var bytes: Int { source.count }

    var limits: ImageLimits { decoder.limits }

    /// Returns all bytes of the file; `nil` if they cannot be read.
    func data() -> Data? {
        let data = try? source.read(at: 0, count: bytes)
        return data?.count == bytes ? data : nil
    }

    /// Returns the properties of a page as if it were a file of its own; for a frame of an animation, those of the
    /// file.
    func properties(ofPage index: Int) throws -> ImageProperties {
        guard var page = try decoder.properties(ofFrame: index) else { return properties }
        page.frameCount = 1
        page.frameDurations = nil
        return page
    }

    /// A line about the missing part of the file; `nil` if its structure is complete. Decodes no pixels.
    var damage: String? {
        let frames = decoder.frames
        let cut = frames.count { !$0.isComplete }
        if cut == 0 { return nil }
        let part =
            frames.count == 1 ? "bytes of its image are missing" : "\(cut) of \(frames.count) frames are incomplete"
        return "the file is cut short: \(part)"
    }

    /// Returns the pixels, at exactly the size of the options.
    func decode(_ options: DecodingOptions) throws -> Bitmap { try frame(options).image }

    /// Returns the pixels at exactly the size of the options, and the damage if some are missing.
    func frame(_ options: DecodingOptions) throws -> (image: Bitmap, damage: ImageError?) {
        let needed = try decoder.workingBytes(for: options)
        guard needed <= decoder.limits.maximumWorkingBytes else {
            throw ImageError(
                .limit, at: .decoding,
                "decoding takes \(needed) bytes of memory; \(decoder.limits.maximumWorkingBytes) are allowed",
                format: properties.format, setting: "ImageLimits.maximumWorkingBytes")
        }
        let frame = try decoder.frame(at: options.frame, options: options)
        let image = try frame.image()
        // Decoders may return more pixels than requested.
        guard let target = options.targetSize?.resolved(for: frame.extent), target != image.size else {
            return (image, frame.damage)
        }
        return (try image.resized(to: target), frame.damage)
    }

    /// Returns the bytes of a file: on disk if its length is known, in memory for files generated on reading.
    private static func open(_ path: String, _ limits: ImageLimits) throws -> any ByteSource {
        let files = LocalFileSystem()
        let file = try files.open(path)
        if file.status.size > 0 { return file }
        return MemoryByteSource(try files.read(path, first: limits.maximumBytes + 1))
    }

    /// Passes a file to the decoder in pieces, with a preview after each but the last.
    private static func feed(_ source: any ByteSource, to decoder: ImageDecoder, _ previews: Previews) throws {
        var offset = 0
        while offset < source.count {
            let piece = try source.read(at: offset, count: min(previewStep, source.count - offset))
            guard !piece.isEmpty else { return }
            offset += piece.count
            try decoder.append(piece)
            let needed = try decoder.workingBytes(for: previews.options)
            if offset < source.count, needed <= decoder.limits.maximumWorkingBytes,
                let image = try decoder.preview(previews.options)
            {
                try previews.show(image)
            }
        }
    }
}

/// Reads sources for commands that decode themselves: files from disk, addresses through a pipeline.
struct SourceReader: Sendable {
    private let setting: LoadEnvironment?
    private let limits: ImageLimits

    /// Creates a reader for these sources. It has a pipeline only if one of them is an address.
    init(_ sources: [LoadSource], _ options: SourceOptions) throws {
        setting = sources.allSatisfy(\.isLocal) ? nil : try LoadEnvironment(options)
        limits = options.limits?.limits ?? ImageLimits()
    }

    init(_ limits: LimitsArgument?) {
        setting = nil
        self.limits = limits?.limits ?? ImageLimits()
    }

    /// Returns the source as a file or with its bytes loaded.
    func local(_ source: LoadSource) async throws -> LoadSource {
        guard let setting, !source.isLocal else { return source }
        var source = source
        source.data = try await setting.pipeline.data(for: source.request).0
        return source
    }

    /// Opens the file of a local source and reads its header. Blocks.
    func file(_ source: LoadSource, previews: ImageFile.Previews? = nil) throws -> ImageFile {
        try ImageFile(source, limits: limits, previews: previews)
    }

    /// Reads a source and runs `body` with its file on one of Firn's threads.
    func read<Value: Sendable>(
        _ source: LoadSource, _ body: @escaping @Sendable (ImageFile) throws -> Value
    ) async throws -> Value {
        let source = try await local(source)
        return try await BlockingCall.run { _ in try body(file(source)) }
    }

    /// Writes staged cache entries and reports a failure of the cache.
    func finish() { setting?.finish() }
}
