import FirnData
import FirnSync
public import FoundationEssentials

/// Converts image files, such as uploads, within limits that all of its calls share.
///
///     let converter = try ImageConverter(.upload)
///     let result = try await converter.convert(body, to: .webp, targetSize: 1600)
///     respond(200, result.data, result.mediaType)
///
/// The result is new: the first frame, upright and in sRGB, without the metadata of the source. A JPEG keeps the gain
/// map of a JPEG. One converter serves a whole server. It computes on Firn's own threads, at most one for each core of
/// all converters and file functions together; cancelling a task ends its conversion.
///
/// Failures are an ``/FirnImage/ImageError``. Respond with its `responseStatus` and
/// ``/FirnImage/ImageError/message``.
public struct ImageConverter: Sendable {
    /// The limits.
    public let configuration: Configuration
    private let gate: ConversionGate

    /// Creates a converter. Starts neither a thread nor a process.
    ///
    /// - Parameter configuration: the limits. Default: those of `Configuration()`.
    /// - Throws: ``/FirnImage/ImageError/Fault/unsupported`` if the isolation requires the decoder programs,
    ///   and they are missing.
    public init(_ configuration: Configuration = Configuration()) throws(ImageError) {
        try configuration.isolation.check()
        self.configuration = configuration
        gate = ConversionGate(
            concurrency: max(1, configuration.concurrency), maximumWaiting: configuration.maximumWaiting)
    }

    /// Converts bytes in memory.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - format: the format to write; one of ``ImageEncoders/formats``.
    ///   - targetSize: the size of the result in pixels. By default an image of fewer pixels is not enlarged; a drawing
    ///     (SVG) is rendered at that size. Default: `nil`, all pixels.
    ///   - quality: 0 to 1, for lossy formats. Default: `nil`, the encoder's default.
    ///   - processors: change the image, after it has its size. Default: none.
    ///   - policy: the metadata of the source that the file keeps. Default: the color profile.
    /// - Throws: ``/FirnImage/ImageError``.
    public func convert(
        _ data: Data, to format: ImageFormat, targetSize: TargetSize? = nil, quality: Double? = nil,
        processors: [any ImageProcessing] = [], keeping policy: EncodingMetadata.Policy = .profile
    ) async throws(ImageError) -> Output {
        let job = job(format, targetSize, quality, processors, policy)
        do { return try await convert(job) { data } } catch { throw ImageError(error, at: .decoding) }
    }

    /// Receives bytes and converts them. Stops receiving when there are more than
    /// ``/FirnImage/ImageLimits/maximumBytes``.
    ///
    ///     let body = request.body.map(\.readableBytesView)  // Hummingbird, Vapor
    ///     let result = try await converter.convert(body, to: .webp, targetSize: 1600)
    ///
    /// - Parameters:
    ///   - body: the pieces of the file, in order.
    ///   - length: the number of bytes that the client states (`Content-Length`). If it is too large, nothing is
    ///     received. Default: `nil`, unknown.
    ///   - format: the format to write; one of ``ImageEncoders/formats``.
    ///   - targetSize: the size of the result in pixels, as for bytes in memory. Default: `nil`, all pixels.
    ///   - quality: 0 to 1, for lossy formats. Default: `nil`, the encoder's default.
    ///   - processors: change the image, after it has its size. Default: none.
    ///   - policy: the metadata of the source that the file keeps. Default: the color profile.
    /// - Throws: ``/FirnImage/ImageError``; the errors of `body`.
    public func convert<Body: AsyncSequence & Sendable>(
        _ body: Body, length: Int? = nil, to format: ImageFormat, targetSize: TargetSize? = nil, quality: Double? = nil,
        processors: [any ImageProcessing] = [], keeping policy: EncodingMetadata.Policy = .profile
    ) async throws -> Output where Body.Element: Sequence<UInt8> {
        try await convert(job(format, targetSize, quality, processors, policy)) { try await receive(body, length) }
    }

    /// Converts a file to another file, whose format is that of its name's ending.
    ///
    ///     try await ImageConverter().convert(contentsOf: photo, to: copy, keeping: .allButPlace)
    ///
    /// The file is written under a temporary name and then renamed, as by
    /// `Bitmap.write(to:quality:metadata:)`: a failure leaves the older file, or none.
    ///
    /// - Parameters:
    ///   - url: the `file:` URL to read.
    ///   - newURL: the `file:` URL to write.
    ///   - targetSize: the size of the result in pixels. Default: `nil`, all pixels.
    ///   - quality: 0 to 1, for lossy formats. Default: `nil`, the encoder's default.
    ///   - processors: change the image, after it has its size. Default: none.
    ///   - policy: the metadata of the source that the file keeps. The orientation becomes 1, and thumbnails are left
    ///     out. Default: the color profile.
    /// - Throws: ``/FirnImage/ImageError`` with the path that it is about.
    @discardableResult
    public func convert(
        contentsOf url: URL, to newURL: URL, targetSize: TargetSize? = nil, quality: Double? = nil,
        processors: [any ImageProcessing] = [], keeping policy: EncodingMetadata.Policy = .profile
    ) async throws(ImageError) -> Output {
        let (path, newPath) = (try SourceImage.path(of: url), try SourceImage.path(of: newURL))
        let format = try ImageEncoders.format(ofPath: newPath)
        let job = job(format, targetSize, quality, processors, policy)
        do {
            return try await gate.admit {
                try await run { flag in
                    let output = try job.convert(contentsOf: path, flag)
                    if flag.isCancelled { throw CancellationError() }
                    _ = try ImageError.file(newPath, at: .writing) { try OutputFile.write(output.data, to: newPath) }
                    return output
                }
            }
        } catch { throw ImageError(error, at: .reading, path: path) }
    }

    private func job(
        _ format: ImageFormat, _ target: TargetSize?, _ quality: Double?, _ processors: [any ImageProcessing],
        _ policy: EncodingMetadata.Policy
    ) -> ConversionJob {
        ConversionJob(
            configuration: configuration, format: format, target: target, quality: quality,
            processors: ImageProcessors.Composition(processors), policy: policy)
    }

    private func convert(_ job: ConversionJob, _ receive: () async throws -> Data) async throws -> Output {
        do {
            return try await gate.admit {
                let data = try await receive()
                return try await run { try job.convert(data, $0) }
            }
        } catch is CancellationError { throw ImageError(CancellationError(), at: .reading) }
    }

    /// Runs `body` on a thread, in its turn and within the time.
    private func run(_ body: @escaping @Sendable (CancellationFlag) throws -> Output) async throws -> Output {
        try await gate.turn {
            try await within(configuration.time, or: .lateConversion) { try await BlockingCall.run(body) }
        }
    }

    /// Collects the pieces of a body.
    private func receive<Body: AsyncSequence & Sendable>(_ body: Body, _ length: Int?) async throws -> Data
    where Body.Element: Sequence<UInt8> {
        let most = configuration.limits.maximumBytes
        let tooLong = configuration.limits.tooManyBytes
        if let length, length > most { throw tooLong }
        return try await within(configuration.receivingTime, or: .lateBytes) {
            var data = Data()
            for try await piece in body {
                // One byte more than allowed proves that the body is too long. A piece may be endless.
                let room = max(0, most.saturatingAdd(1) - data.count)
                if piece.withContiguousStorageIfAvailable({ data.append(contentsOf: $0.prefix(room)) }) == nil {
                    data.append(contentsOf: piece.prefix(room))
                }
                if data.count > most { throw tooLong }
            }
            return data
        }
    }

    /// The limits of a converter.
    public struct Configuration: Sendable {
        /// The formats that are accepted, by content and never by name or media type; `nil` (the default) for all of
        /// this build. PNG includes animated PNG.
        public var formats: Set<ImageFormat>?

        /// The limits of bytes, pixels and memory for one image. Decodes take no longer than ``time`` either. Default:
        /// those of `ImageLimits()`.
        public var limits = ImageLimits()

        /// The longest time of a conversion once its turn has come; `nil` (the default) for no limit.
        public var time: Duration?

        /// The longest time in which all bytes of a sequence have to arrive; `nil` (the default) for no limit.
        public var receivingTime: Duration?

        /// The most conversions at once. Each takes up to ``/FirnImage/ImageLimits/maximumWorkingBytes``, the pixels of
        /// its result, and the encoder's memory. Default: the number of cores; more are never faster.
        public var concurrency = Machine.cores

        /// The most calls that wait for their turn or receive bytes, beside the running conversions; each holds up to
        /// ``/FirnImage/ImageLimits/maximumBytes``. Further calls fail at once with status 503. With 0, no call waits.
        /// Default: `nil`, any number.
        public var maximumWaiting: Int?

        /// The formats that are decoded in processes of their own. Default: that of all decoders.
        public var isolation = DecoderIsolation.standard

        /// The RGB color space of results, which are written with its profile; `nil` (the default) for sRGB. GIF and
        /// ICO files cannot hold a profile, so theirs are always sRGB.
        public var targetProfile: ColorProfile?

        /// The rule for colors that the target lacks. Default: perceptual.
        public var renderingIntent = ColorProfile.RenderingIntent.perceptual

        /// True to write PQ and HLG values of a source to PNG, AVIF and JPEG XL files, instead of tone-mapping them.
        /// Processors that change colors then fail. Default: false.
        public var preservesHDR = false

        /// Creates the defaults, for files that the program trusts.
        public init() {}

        /// Limits for untrusted files. Requires the decoder programs, so that no file is decoded in the server's own
        /// process.
        ///
        /// | limit | value |
        /// |---|---|
        /// | formats | JPEG, PNG, WebP, AVIF, HEIC |
        /// | bytes | 10 MiB, within 30 s |
        /// | pixels | 50 million |
        /// | memory of a decode | 256 MiB |
        /// | time of a conversion | 10 s |
        /// | conversions at once | the number of cores |
        /// | calls that wait | 64 |
        ///
        /// SVG and TIFF are left out because their libraries have a large attack surface.
        public static let upload: Configuration = {
            var upload = Configuration()
            upload.formats = [.jpeg, .png, .webp, .avif, .heic]
            upload.limits.maximumBytes = 10 << 20
            upload.limits.maximumPixels = 50_000_000
            upload.limits.maximumWorkingBytes = 256 << 20
            upload.time = .seconds(10)
            upload.receivingTime = .seconds(30)
            upload.maximumWaiting = 64
            upload.isolation = .all
            return upload
        }()
    }

    /// A converted image.
    public struct Output: Sendable {
        /// The whole file.
        public let data: Data
        /// The format of the file.
        public let format: ImageFormat
        /// The pixels that were encoded.
        public let image: Bitmap
        /// The properties of the source.
        public let source: ImageProperties
        /// The properties of the source that the file lacks: by default all metadata, and all frames but the first.
        public let lost: [ConversionLoss]

        /// The size in pixels.
        public var size: PixelSize { image.size }

        /// The media type of the file, for `Content-Type`.
        public var mediaType: String { format.mediaType ?? "application/octet-stream" }

        /// The BlurHash of the image, for a placeholder; `nil` only if there is no memory.
        ///
        /// - Complexity: O(pixels), at each access.
        public var blurHash: BlurHash? { BlurHash(image) }
    }
}

/// Runs `body`, and cancels it when the time has passed; `nil` for no limit.
///
/// - Throws: `late` if the time passed; the errors of `body`.
private func within<Value: Sendable>(
    _ time: Duration?, or late: ImageError, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let time else { return try await body() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: time)
            return nil
        }
        guard let value = try await group.next() ?? nil else { throw late }
        return value
    }
}

/// The steps of a converter for one source. Used by one thread at a time.
struct ConversionJob: Sendable {
    let configuration: ImageConverter.Configuration
    let format: ImageFormat
    let target: TargetSize?
    let quality: Double?
    let processors: ImageProcessors.Composition
    let policy: EncodingMetadata.Policy

    private var limits: ImageLimits {
        var limits = configuration.limits
        if let time = configuration.time {
            limits.maximumDecodingTime = limits.maximumDecodingTime.map { min($0, time) } ?? time
        }
        return limits
    }

    /// - Throws: ``/FirnImage/ImageError``.
    func convert(_ data: Data, _ flag: CancellationFlag) throws(ImageError) -> ImageConverter.Output {
        try SourceImage.data(
            data, formats: configuration.formats, isolation: configuration.isolation, limits: limits, flag
        ) { try convert($0, flag) }
    }

    /// - Throws: ``/FirnImage/ImageError`` with the path.
    func convert(contentsOf path: String, _ flag: CancellationFlag) throws(ImageError) -> ImageConverter.Output {
        try SourceImage.file(
            path, formats: configuration.formats, isolation: configuration.isolation, limits: limits, flag
        ) { try convert($0, flag) }
    }

    private func colors(for properties: ImageProperties) -> DecodingOptions {
        var options = DecodingOptions()
        if format.storesProfiles { options.targetProfile = configuration.targetProfile }
        options.renderingIntent = configuration.renderingIntent
        options.preservesHDR = configuration.preservesHDR && format.storesHDR(properties.light)
        return options
    }

    private func convert(_ source: SourceImage, _ flag: CancellationFlag) throws -> ImageConverter.Output {
        var container = ImageContainer(
            image: try source.decode(target, for: processors, colors(for: source.properties)),
            format: source.properties.format,
            originalSize: target == nil ? source.properties.displaySize : nil)
        container.gainMap = try source.gainMap(for: format)
        container = try ImageError.at(.processing) { try processors.process(container, context: source.context) }
        let isPlain = processors.processors.isEmpty
        var metadata = EncodingMetadata(keeping: policy, of: source.properties, pixelsMoved: !isPlain)
        if isPlain, policy == .all || policy == .allButPlace {
            let stored = source.properties.resolution
            let upright = source.properties.orientation.transposes ? stored?.transposed : stored
            metadata.resolution = upright?.resized(from: source.properties.displaySize, to: container.image.size)
        }
        metadata.gainMap = container.gainMap
        let data = try container.image.encoded(as: format, quality: quality, metadata: metadata, flag)
        let image = container.image
        let flattens = format == .jpeg && !image.hasOnlyOpaquePixels || format == .gif && image.hasPartialAlpha
        let lost = ConversionLoss.between(
            source.properties, file: data, of: format, frames: 1, flattens: flattens, limits,
            isolation: configuration.isolation)
        return ImageConverter.Output(data: data, format: format, image: image, source: source.properties, lost: lost)
    }
}
