import FirnData
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

    // MARK: Writing

    /// Writes the image to a file, by default in the format of the name's extension.
    ///
    ///     try await image.write(to: file, quality: 0.8)
    ///
    /// The file is written under a temporary name and then renamed: a failure leaves the older file, or none. Links are
    /// followed. The new file gets permissions, owner, access control list and extended attributes of the older one as
    /// far as the system allows, but no setuid bits; other hard links keep the older content. Transparent images get a
    /// white background in JPEG files. Encodes on Firn's own threads; cancelling the task ends that.
    ///
    /// - Parameters:
    ///   - url: the `file:` URL.
    ///   - format: a format in ``ImageEncoders/formats``. Default: `nil`, the format of the extension, such as `.jpg`.
    ///   - quality: 0 to 1, for lossy formats. Default: `nil`, the encoder's default.
    ///   - metadata: the metadata to write. Default: the color profile if colors are not sRGB.
    /// - Returns: a sentence for each property of an older file that the new one lacks, such as an owner, an attribute,
    ///   or other hard links; usually none.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    @discardableResult
    public func write(
        to url: URL, format: ImageFormat? = nil, quality: Double? = nil,
        metadata: EncodingMetadata = EncodingMetadata()
    ) async throws(ImageError) -> [String] {
        try await write(toPath: SourceImage.path(of: url), format: format, quality: quality, metadata: metadata)
    }

    /// Like `write(to:format:quality:metadata:)`, for the file at a path.
    @discardableResult
    public func write(
        toPath path: String, format: ImageFormat? = nil, quality: Double? = nil,
        metadata: EncodingMetadata = EncodingMetadata()
    ) async throws(ImageError) -> [String] {
        try await BlockingCall.run(at: .writing, path: path) { try write(to: path, format, quality, metadata, $0) }
    }

    /// Like `write(to:format:quality:metadata:)`, but blocks the calling thread.
    ///
    /// - Returns: the properties that the new file lacks, as that method does.
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    @discardableResult
    public func writeBlocking(
        to url: URL, format: ImageFormat? = nil, quality: Double? = nil,
        metadata: EncodingMetadata = EncodingMetadata()
    ) throws(ImageError) -> [String] {
        try write(to: SourceImage.path(of: url), format, quality, metadata, CancellationFlag())
    }

    /// Returns the image as a PNG file. Blocks the calling thread.
    public func pngData() throws(ImageError) -> Data { try PNGEncoder().encode(self) }

    /// Returns the image as a JPEG file, with a white background if it is transparent. Blocks the calling thread.
    ///
    /// - Parameter quality: 0 to 1. Default: `nil`, the encoder's default.
    /// - Throws: ``/FirnImage/ImageError``, also if the background takes too much memory.
    public func jpegData(quality: Double? = nil) throws(ImageError) -> Data {
        try encoded(as: .jpeg, quality: quality)
    }

    /// Does the same as `jpegData(quality:)`, by the name of UIKit.
    public func jpegData(compressionQuality: Double) throws(ImageError) -> Data {
        try encoded(as: .jpeg, quality: compressionQuality)
    }

    /// Returns the image as a file: `image.encoded(as: .webp, quality: 0.8)`. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - format: a format in ``ImageEncoders/formats``. JPEG puts a white background below transparent images.
    ///   - quality: 0 to 1, for lossy formats. Default: `nil`, the encoder's default.
    ///   - metadata: the metadata to write. Default: the color profile if colors are not sRGB.
    /// - Throws: ``/FirnImage/ImageError``, also if this build does not write the format.
    public func encoded(
        as format: ImageFormat, quality: Double? = nil, metadata: EncodingMetadata = EncodingMetadata()
    ) throws(ImageError) -> Data {
        try encoded(as: format, quality: quality, metadata: metadata, CancellationFlag())
    }

    /// Returns the image as a file, with the settings of an encoder: `image.encoded(as: .avif(quality: 0.5))`. Blocks
    /// the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError``.
    public func encoded(as encoder: any ImageEncoding) throws(ImageError) -> Data {
        try encoded(by: encoder, metadata: EncodingMetadata(), CancellationFlag())
    }

    private func write(
        to path: String, _ format: ImageFormat?, _ quality: Double?, _ metadata: EncodingMetadata,
        _ cancellation: CancellationFlag
    ) throws(ImageError) -> [String] {
        try ImageError.file(path, at: .writing) {
            let format = try format ?? ImageEncoders.format(ofPath: path)
            let data = try encoded(as: format, quality: quality, metadata: metadata, cancellation)
            if cancellation.isCancelled { throw CancellationError() }
            return try OutputFile.write(data, to: path)
        }
    }

    func encoded(
        as format: ImageFormat, quality: Double?, metadata: EncodingMetadata, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        guard let encoder = ImageEncoders.encoder(for: format, quality: quality) else {
            throw ImageError(.unsupported, at: .encoding, "the format is not written", format: format)
        }
        return try encoded(by: encoder, metadata: metadata, cancellation)
    }

    /// Returns the image as a file. JPEG gets a white background.
    private func encoded(
        by encoder: any ImageEncoding, metadata: EncodingMetadata, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let isJPEG = encoder.format(for: self) == .jpeg
        var image = isJPEG ? try toneMapped() : self
        if isJPEG, !hasOnlyOpaquePixels {
            image = try ImageError.at(.processing) {
                try ImageProcessors.Flatten().process(ImageContainer(image: image), cancellation: cancellation).image
            }
        }
        return try encoder.encode(image, metadata: metadata, cancellation: cancellation)
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

extension ImageEncoders {
    /// Returns the format of a file name's extension.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if this build writes no such format.
    static func format(ofPath path: String) throws(ImageError) -> ImageFormat {
        let name = PathText.split(path).name
        let dot = name.lastIndex(of: ".")
        if let dot, dot != name.startIndex {
            let format = ImageFormat(ending: String(name[name.index(after: dot)...]))
            if formats.contains(format) { return format }
        }
        let endings = formats.map { $0 == .jpeg ? ".jpg" : ".\($0)" }.joined(separator: ", ")
        throw ImageError(
            .request, at: .writing, "the ending of the name selects the format; use one of \(endings)", path: path)
    }
}
