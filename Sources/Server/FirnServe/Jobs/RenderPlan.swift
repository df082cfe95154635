import FirnDigest
import FoundationEssentials

/// The steps that make a result from its source.
struct RenderPlan: Sendable {
    /// The part of the upright image; `nil` for all of it.
    var region: ImageRegion?
    /// The minimum size at which that part is decoded.
    var decodedSize: PixelSize
    /// The steps after decoding, in order.
    var processors: [any ImageProcessing] = []
    var format: ImageFormat
    /// The layout of the decoded pixels. Default: 8 bits per sample.
    var pixelFormat = PixelFormat.bgra8Premultiplied
    /// The number of frames of an animation in the result; 1 (the default) for a still.
    var frames = 1
    /// True if the source is sent unchanged, once its header was read. Default: false.
    var passesSource = false
    /// The kind of output. Default: the image.
    var output = RenderOutput.image
    /// 0 to 1, for lossy formats; `nil` for the encoder's default.
    var quality: Double?
    var effort = EncodingEffort()
    /// The maximum size of the result in bytes, for which a lossy format lowers its quality; 0 for no limit.
    var maximumBytes = 0
    /// True if the source's metadata are written. Default: false.
    var keepsMetadata = false
    /// The metadata to write: those of the source if ``keepsMetadata`` is set, otherwise its copyright notice.
    var metadata = EncodingMetadata()
    /// True if colors stay in the color space of the source, whose profile is then embedded. Default: false.
    var keepsColorProfile = false
    /// True if a preview that the file embeds may replace the image. Default: false.
    var takesEmbeddedPreview = false
    /// The quality of AVIF images below 16 pixels, which are written as JPEG, or as PNG if they are transparent; `nil`
    /// (the default) for none.
    var smallQuality: Double?

    /// True if the whole source is needed before anything is decoded.
    var needsWhole: Bool { passesSource || keepsMetadata || frames > 1 || output == .information }

    /// Returns the steps of a pipeline.
    ///
    /// - Parameters:
    ///   - trace: the span whose children are the steps; `nil` for no spans.
    ///   - made: called with the bytes, their media type, and whether pixels are missing.
    func rendering(
        of source: RenderingSource, _ info: SourceInfo, _ limits: ImageLimits, _ trace: Trace?,
        _ made: @escaping @Sendable (Data, String, Bool) -> ServedResult
    ) throws(ServeError) -> RenderingPlan {
        let mediaType = output.mediaType ?? format.mediaType ?? "application/octet-stream"
        if output == .information { return RenderingPlan { _ in made(info.json, mediaType, false) } }
        if passesSource { return RenderingPlan { _ in made(try source.data(), mediaType, false) } }
        guard ImageEncoders.encoder(for: format) != nil else { throw unwritten }
        if frames > 1, output == .image {
            return RenderingPlan { cancellation in
                made(try animation(of: source, limits, cancellation), mediaType, false)
            }
        }
        trace?.step(nil)
        var plan = self
        if keepsMetadata {
            let isMoved = region != nil || !processors.isEmpty
            plan.metadata = EncodingMetadata(keeping: .all, of: source.properties, pixelsMoved: isMoved)
        }
        var options: ImageRequest.Options = keepsColorProfile ? .keepColorProfile : []
        if takesEmbeddedPreview { options.insert(.allowEmbeddedPreview) }
        // Processors that work on SDR colors get them.
        let keepsLight = processors.allSatisfy { ($0 as? any ImageProcessor)?.usesSRGB == false }
        if pixelFormat.isWide, keepsLight, format.storesHDR(source.properties.light) { options.insert(.preserveHDR) }
        if output == .image { options.insert(.allowPartial) }
        return RenderingPlan(
            region: region, targetSize: TargetSize(decodedSize, mode: .fill), pixelFormat: pixelFormat,
            options: options, processors: processors, decoded: { trace?.step("decode") }
        ) { [plan] container, cancellation in
            if !plan.processors.isEmpty { trace?.step("process") }
            let image = container.image
            if plan.output != .image { return made(try plan.output.placeholder(of: image), mediaType, false) }
            var plan = plan
            if let smallQuality = plan.smallQuality, plan.format == .avif,
                min(image.size.width, image.size.height) < 16
            {
                plan.format = image.isOpaque ? .jpeg : .png
                plan.quality = smallQuality
            }
            let data = try plan.encoded(image, cancellation)
            trace?.step("encode")
            return made(
                data, plan.format.mediaType ?? mediaType, !container.isComplete)
        }
    }

    private var unwritten: ServeError { ServeError(422, "format: \(format.rawValue) is not written") }

    private func encoded(_ image: Bitmap, _ cancellation: CancellationFlag) throws -> Data {
        try fitted { quality in
            guard let encoder = effort.encoder(for: format, quality: quality) else { throw unwritten }
            return try encoder.encode(image, metadata: metadata, cancellation: cancellation)
        }
    }

    /// Decodes, processes and encodes an animation with one frame in memory at a time. Leaves out damaged frames after
    /// the first.
    private func animation(
        of source: RenderingSource, _ limits: ImageLimits, _ cancellation: CancellationFlag
    ) throws -> Data {
        var options = DecodingOptions()
        options.region = region
        options.targetSize = TargetSize(decodedSize, mode: .fill)
        let steps = ImageProcessors.Composition(processors)
        let context = ImageProcessingContext(cancellation: cancellation, limits: limits)
        return try fitted { quality in
            let encoder = effort.encoder(for: format, quality: quality)
            guard let encoder = encoder as? any AnimationEncoding else {
                throw ServeError(422, "format: \(format.rawValue) is not written with frames")
            }
            let decoder = try source.decoder(ImageDecoders.standard, limits: limits)
            return try encoder.encode(
                0..<min(frames, decoder.frameCount), of: decoder, cancellation: cancellation
            ) { index in
                if cancellation.isCancelled { throw CancellationError() }
                return try decoder.frame(at: index, options: options).image()
            } process: {
                try steps.process(ImageContainer(image: $0), context: context).image
            }.data
        }
    }

    /// Encodes. With a limit of bytes, lowers the quality until the result fits or the quality is 0.1 or less.
    private func fitted(_ encode: (Double?) throws -> Data) throws -> Data {
        var quality = quality
        while true {
            let data = try encode(quality)
            let isLossy = [.jpeg, .webp, .avif, .jxl].contains(format)
            guard maximumBytes > 0, isLossy, data.count > maximumBytes, let last = quality, last > 0.1 else {
                return data
            }
            let excess = Double(data.count) / Double(maximumBytes)
            quality = max(0.01, last * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75))
        }
    }
}

/// The time that encoders spend on smaller files, on the scales of their libraries.
struct EncodingEffort: Sendable, Hashable {
    /// 0 to 6, the slowest.
    var webp = 4
    /// 0 to 10, the fastest.
    var avifSpeed = 8
    /// 1 to 9, the slowest.
    var jxl = 4

    /// The part of result keys for the effort.
    var key: String { "\(webp).\(avifSpeed).\(jxl)" }

    /// Returns the encoder of a format; `nil` if it is not written.
    func encoder(for format: ImageFormat, quality: Double?) -> (any ImageEncoding)? {
        switch ImageEncoders.encoder(for: format, quality: quality) {
        case let encoder as WebPEncoder: WebPEncoder(quality: encoder.quality, effort: webp)
        case let encoder as AVIFEncoder: AVIFEncoder(quality: encoder.quality, speed: avifSpeed)
        case let encoder as JXLEncoder: JXLEncoder(quality: encoder.quality, effort: jxl)
        case let encoder: encoder
        }
    }
}

/// A request in either language as work for the service. A class, since each suspended function would have a copy.
final class ResultJob: Sendable {
    let source: SourceReference
    /// The canonical key: a hash of the source with its version and of the normalized options. After a purge, also the
    /// purge's number.
    let key: String
    /// The key of the result in memory, which a result after a purge replaces.
    let memoryKey: String
    /// The name in purges: the key for a client that states no formats, sizes and fields.
    let name: String
    /// The last purge of the result when the work began, and that of its source; 0 for none.
    let revision: Int
    let sourceRevision: Int
    let plan: @Sendable (SourceInfo, Watermark?) throws(ServeError) -> RenderPlan
    /// The index of the page or frame that is decoded.
    let page: Int
    /// The watermark that the request names; `nil` for none.
    let watermark: RequestedWatermark?
    /// True if only parts of the source are decoded, so that it may be large.
    let takesParts: Bool

    /// Returns whether the source passes, and the image of the watermark, if there is one.
    func allSources(_ passes: (SourceReference) -> Bool) -> Bool {
        passes(source) && (watermark?.source.map(passes) ?? true)
    }

    /// - Parameters:
    ///   - options: equal for requests with equal results from the same source.
    ///   - plainOptions: the options for a client that states no formats and no sizes. Default: the same.
    ///   - plan: gets the loaded watermark.
    init(
        source: SourceReference, options: String, plainOptions: String? = nil, takesParts: Bool = false,
        page: Int = 0, watermark: RequestedWatermark? = nil,
        plan: @escaping @Sendable (SourceInfo, Watermark?) throws(ServeError) -> RenderPlan
    ) {
        self.source = source
        self.plan = plan
        self.page = page
        self.watermark = watermark
        self.takesParts = takesParts
        func digest(_ source: String, _ options: String) -> String {
            let keys = [source, watermark?.key, options].compactMap { $0 }.joined(separator: "\n")
            return HexadecimalDigest.text(of: Data("3\n\(keys)".utf8))
        }
        memoryKey = digest(source.key, options)
        key = memoryKey
        (revision, sourceRevision) = (0, 0)
        let plain = (source: source.plainKey, options: plainOptions ?? options)
        name = plain == (source.key, options) ? memoryKey : digest(plain.source, plain.options)
    }

    /// Returns the job after purges: it shares no work and no stored result with the job before them.
    func revised(_ revision: Int, source: Int) -> ResultJob { ResultJob(self, revision, source) }

    private init(_ job: ResultJob, _ revision: Int, _ sourceRevision: Int) {
        (source, plan, page, watermark) = (job.source, job.plan, job.page, job.watermark)
        (memoryKey, name, takesParts) = (job.memoryKey, job.name, job.takesParts)
        (self.revision, self.sourceRevision) = (revision, sourceRevision)
        key = revision > 0 ? "\(memoryKey)-\(revision)" : memoryKey
    }
}

enum HexadecimalDigest {
    /// Returns the SHA-256 in 64 hexadecimal digits.
    static func text(of data: Data) -> String { SHA256.hash(data).hexadecimal }
}

enum RenderOutput: Sendable {
    case image
    /// A JSON object that describes the source, which is not decoded.
    case information
    case blurHash
    /// The ThumbHash of the result, in base64.
    case thumbHash

    /// The media type; `nil` for images, whose format decides.
    var mediaType: String? {
        switch self {
        case .image: nil
        case .information: "application/json"
        case .blurHash, .thumbHash: "text/plain; charset=utf-8"
        }
    }

    /// Returns the text of a placeholder.
    ///
    /// - Throws: status 422 if there is no memory to convert the image.
    func placeholder(of image: Bitmap) throws(ServeError) -> Data {
        let text = self == .blurHash ? BlurHash(image)?.text : ThumbHash(image)?.data.base64EncodedString()
        guard let text else { throw ServeError(422, "the placeholder cannot be computed") }
        return Data(text.utf8)
    }
}
