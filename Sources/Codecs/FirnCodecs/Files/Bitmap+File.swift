// Files to images without a pipeline. The asynchronous functions run on Firn's own threads, at most one for each core.

extension Bitmap {
    /// Decodes the first frame of a file, upright and in sRGB.
    ///
    ///     let image = try await Bitmap(contentsOf: "photo.heic", fitting: 256)
    ///
    /// Decoders read only the parts of the file that they need, and decode no more pixels than are requested.
    /// Cancelling the task ends the decode.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - side: the length of the longer side in pixels. An image of fewer pixels is not enlarged; a drawing (SVG) is
    ///     rendered at that size. Default: `nil`, all pixels.
    ///   - isolation: which formats are decoded in processes of their own. Default: that of all decoders.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        contentsOf path: String, fitting side: Int? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        let target = side.map { TargetSize($0) }
        self = try await BlockingCall.run(at: .reading, path: path) {
            try Bitmap.decoded(path, target, isolation, limits, $0)
        }
    }

    /// Decodes the first frame of a file at any kind of target: a width, a height, a rectangle to fill.
    ///
    ///     let header = try await Bitmap(contentsOf: "photo.heic", fitting: TargetSize(width: 640))
    ///
    /// - Parameter target: the size of the result. A rectangle that is filled is not cut; see
    ///   `applying(_:)`.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        contentsOf path: String, fitting target: TargetSize, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .reading, path: path) {
            try Bitmap.decoded(path, target, isolation, limits, $0)
        }
    }

    /// Like `init(contentsOf:fitting:)`, but blocks the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        blockingContentsOf path: String, fitting side: Int? = nil, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) throws(ImageError) {
        self = try .decoded(path, side.map { TargetSize($0) }, isolation, limits, CancellationFlag())
    }

    /// Like `init(contentsOf:fitting:)` for any kind of target, but blocks the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        blockingContentsOf path: String, fitting target: TargetSize, isolation: DecoderIsolation = .standard,
        limits: ImageLimits = ImageLimits()
    ) throws(ImageError) {
        self = try .decoded(path, target, isolation, limits, CancellationFlag())
    }

    private static func decoded(
        _ path: String, _ target: TargetSize?, _ isolation: DecoderIsolation, _ limits: ImageLimits,
        _ cancellation: CancellationFlag
    ) throws(ImageError) -> Bitmap {
        try SourceImage.file(path, isolation: isolation, limits: limits, cancellation) { try $0.decode(target) }
    }
}

extension ImageProperties {
    /// Reads the properties of a file without decoding its pixels.
    ///
    ///     let properties = try await ImageProperties(contentsOf: "photo.heic")
    ///     print(properties.format, properties.displaySize, properties.exifFields?.camera ?? "")
    ///
    /// Runs on Firn's own threads.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - isolation: which formats are read in processes of their own. Default: that of all decoders.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        contentsOf path: String, isolation: DecoderIsolation = .standard, limits: ImageLimits = ImageLimits()
    ) async throws(ImageError) {
        self = try await BlockingCall.run(at: .reading, path: path) { flag in
            try SourceImage.file(path, isolation: isolation, limits: limits, flag) { $0.properties }
        }
    }

    /// Like `init(contentsOf:)`, but blocks the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public init(
        blockingContentsOf path: String, isolation: DecoderIsolation = .standard, limits: ImageLimits = ImageLimits()
    ) throws(ImageError) {
        self = try SourceImage.file(path, isolation: isolation, limits: limits, CancellationFlag()) { $0.properties }
    }
}
