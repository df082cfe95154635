public import FoundationEssentials

// Files and bytes to images without a pipeline. The asynchronous functions run on Firn's own threads, at most one for
// each core.

extension Bitmap {
    /// Decodes the first frame of a file, upright and in sRGB.
    ///
    ///     let image = try await Bitmap(contentsOf: file, targetSize: 256)
    ///
    /// Decoders read only the parts of the file that they need, and decode no more pixels than are requested.
    /// Cancelling the task ends the decode.
    ///
    /// - Parameters:
    ///   - url: the `file:` URL.
    ///   - targetSize: the size of the result in pixels. By default an image of fewer pixels is not enlarged; a drawing
    ///     (SVG) is rendered at that size. A rectangle that is filled is not cut; see `applying(_:)`. Default: `nil`,
    ///     all pixels.
    ///   - isolation: which formats are decoded in processes of their own. Default: that of all decoders.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        contentsOf url: URL, targetSize: TargetSize? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        try await self.init(
            path: SourceImage.path(of: url), targetSize: targetSize, isolation: isolation, limits: limits)
    }

    /// Like `init(contentsOf:targetSize:isolation:limits:)`, for the file at a path.
    public init(
        path: String, targetSize: TargetSize? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .reading, path: path) { flag in
            try SourceImage.file(path, isolation: isolation, limits: limits, flag) { try $0.decode(targetSize) }
        }
    }

    /// Like `init(contentsOf:targetSize:isolation:limits:)`, but blocks the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        blockingContentsOf url: URL, targetSize: TargetSize? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) throws(ImageError) {
        self = try SourceImage.file(
            SourceImage.path(of: url), isolation: isolation, limits: limits, CancellationFlag()
        ) { try $0.decode(targetSize) }
    }

    /// Like `init(contentsOf:targetSize:isolation:limits:)`, for the bytes of a file in memory.
    ///
    /// - Throws: ``/FirnImage/ImageError`` without a path.
    public init(
        data: Data, targetSize: TargetSize? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .decoding) { flag in
            try SourceImage.data(data, isolation: isolation, limits: limits, flag) { try $0.decode(targetSize) }
        }
    }
}

extension ImageProperties {
    /// Reads the properties of a file without decoding its pixels.
    ///
    ///     let properties = try await ImageProperties(contentsOf: file)
    ///     print(properties.format, properties.displaySize, properties.metadata.camera ?? "")
    ///
    /// Runs on Firn's own threads.
    ///
    /// - Parameters:
    ///   - url: the `file:` URL.
    ///   - isolation: which formats are read in processes of their own. Default: that of all decoders.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        contentsOf url: URL, isolation: DecoderIsolation = .standard, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        try await self.init(path: SourceImage.path(of: url), isolation: isolation, limits: limits)
    }

    /// Like `init(contentsOf:isolation:limits:)`, for the file at a path.
    public init(
        path: String, isolation: DecoderIsolation = .standard, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .reading, path: path) { flag in
            try SourceImage.file(path, isolation: isolation, limits: limits, flag) { $0.properties }
        }
    }

    /// Like `init(contentsOf:isolation:limits:)`, for the bytes of a file in memory.
    ///
    /// - Throws: ``/FirnImage/ImageError`` without a path.
    public init(
        data: Data, isolation: DecoderIsolation = .standard, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .decoding) { flag in
            try SourceImage.data(data, isolation: isolation, limits: limits, flag) { $0.properties }
        }
    }
}
