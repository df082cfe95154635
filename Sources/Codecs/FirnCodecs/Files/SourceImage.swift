import FirnData
import FirnSync
import FoundationEssentials

/// A whole image file, on disk or in memory, that is decoded without a pipeline. Used by one thread.
struct SourceImage {
    /// The properties in its header.
    let properties: ImageProperties
    private let session: any ImageDecodingSession
    private let limits: ImageLimits
    private let cancellation: CancellationFlag

    /// Reads the properties.
    ///
    /// - Parameters:
    ///   - formats: the formats that are accepted; `nil` for all. PNG and APNG stand for both.
    ///   - cancellation: ends this call and the later ones.
    /// - Throws: ``/FirnImage/ImageError``, also for content that is no image, or of another format.
    init(
        _ bytes: any ByteSource, formats: Set<ImageFormat>? = nil, isolation: DecoderIsolation, limits: ImageLimits,
        _ cancellation: CancellationFlag
    ) throws {
        let head = try bytes.read(at: 0, count: min(bytes.count, ImageFormat.sniffLength))
        var match: (decoder: any ImageDecoding, format: ImageFormat)?
        for decoder in try ImageDecoders.standard(isolation: isolation) where match == nil {
            match = decoder.recognizes(head).map { (decoder, $0) }
        }
        guard let (decoder, format) = match else {
            throw head.isEmpty ? ImageError(.data, at: .decoding, "the file is empty") : UnknownContent.error(head)
        }
        if let formats, !formats.contains(format), !(format == .png && formats.contains(.apng)) {
            let accepted = formats.map(\.rawValue).sorted().joined(separator: ", ")
            throw ImageError.unsupported("\(format) is not accepted; these formats are: \(accepted)")
        }
        session = decoder.makeSession(limits: limits, cancellation: cancellation)
        (session as? any WorkSharing)?.stripes = StripeCrew.shared.ofDecoder
        try session.append(contentsOf: bytes)
        session.finish()
        guard let properties = try session.properties() else {
            throw ImageError(.data, at: .decoding, "the file ends before its header is complete", format: format)
        }
        self.properties = properties
        self.limits = limits
        self.cancellation = cancellation
    }

    /// Opens a file.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    static func file<Value>(
        _ path: String, formats: Set<ImageFormat>? = nil, isolation: DecoderIsolation, limits: ImageLimits,
        _ cancellation: CancellationFlag, _ body: (SourceImage) throws -> Value
    ) throws(ImageError) -> Value {
        try ImageError.file(path, at: .reading) {
            let files = LocalFileSystem()
            let file = try files.open(path)
            // Files that are generated on reading have no length.
            let most = limits.maximumBytes.saturatingAdd(1)
            let bytes: any ByteSource = try file.count > 0 ? file : MemoryByteSource(files.read(path, first: most))
            return try body(
                SourceImage(bytes, formats: formats, isolation: isolation, limits: limits, cancellation))
        }
    }

    /// Opens a file in memory.
    ///
    /// - Throws: ``/FirnImage/ImageError`` without a path.
    static func data<Value>(
        _ data: Data, formats: Set<ImageFormat>? = nil, isolation: DecoderIsolation, limits: ImageLimits,
        _ flag: CancellationFlag, _ body: (SourceImage) throws -> Value
    ) throws(ImageError) -> Value {
        try ImageError.at(.decoding) {
            try body(SourceImage(MemoryByteSource(data), formats: formats, isolation: isolation, limits: limits, flag))
        }
    }

    /// Returns the path of a `file:` URL.
    ///
    /// - Throws: ``/FirnImage/ImageError`` for another URL.
    static func path(of url: URL) throws(ImageError) -> String {
        if let path = url.localPath { return path }
        throw ImageError(
            .request, at: .reading, "is not a file URL; an ImagePipeline loads it", path: url.absoluteString)
    }

    /// Returns the first frame, upright, in sRGB, at exactly the size of the target; `nil` for all pixels.
    ///
    /// - Parameters:
    ///   - processors: the processors that follow. Without a target, no more pixels are decoded than they need.
    ///   - colors: options that choose the colors. Default: sRGB.
    func decode(
        _ target: TargetSize?, for processors: ImageProcessors.Composition = ImageProcessors.Composition([]),
        _ colors: DecodingOptions = DecodingOptions()
    ) throws -> Bitmap {
        var options = colors
        options.targetSize = target ?? processors.decodingTarget
        let image = try StripeCrew.shared.decoding { try session.decode(options) }
        // Decoders may return more pixels than requested.
        guard let size = target?.resolved(for: properties), size != image.size else { return image }
        return try ImageProcessors.Resize(exactly: size, upscale: true).process(
            ImageContainer(image: image), context: context
        ).image
    }

    /// Returns the gain map for a file of `format`; `nil` if there is none, the format does not store it, or it is
    /// damaged.
    func gainMap(for format: ImageFormat) throws -> GainMap? {
        guard GainMap.formats.contains(format) else { return nil }
        do { return try session.gainMap() } catch let error where error.fault != .cancelled { return nil }
    }

    /// The context of processors of the image.
    var context: ImageProcessingContext {
        ImageProcessingContext(cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
    }
}

extension ImageError {
    /// The status of an HTTP response to the client that sent the image. Respond with
    /// ``/FirnImage/ImageError/message``, which has neither a path nor a name of this library.
    ///
    /// | status | reason |
    /// |---|---|
    /// | 408 | the bytes did not arrive in time |
    /// | 413 | too many bytes or pixels, or too much memory |
    /// | 415 | not an image, or not of an accepted format |
    /// | 422 | damaged or cut off |
    /// | 499 | the task was cancelled |
    /// | 503 | the converter is busy, or the decoder program cannot be started |
    /// | 504 | the conversion took too long, or the decoder program does not respond |
    /// | 500 | anything else: a file that cannot be opened, a wrong parameter, a decoder program that is missing |
    public var responseStatus: Int {
        // The decoder program is not the client's fault.
        if let unavailable = underlying as? DecoderUnavailable { return unavailable.responseStatus }
        return switch (fault, stage) {
        case (.cancelled, _): 499
        case (.limit, .encoding), (.limit, .writing): 500
        case (.limit, _) where underlying is ThreadShortage: 503
        case (.limit, _):
            switch setting {
            case ImageError.lateBytes.setting: 408
            case ImageError.busy.setting: 503
            case ImageError.late.setting, ImageError.lateConversion.setting: 504
            default: 413
            }
        // No decoder recognizes content whose format is unknown.
        case (.data, _): format == nil ? 415 : 422
        case (.incomplete, _), (.request, .decoding), (.image, .processing): 422
        case (.unsupported, .decoding): 415
        default: 500
        }
    }

    /// The error of a call that is one too many.
    static let busy = ImageError(
        .limit, at: .reading, "the converter is busy; try again in some seconds",
        setting: "ImageConverter.Configuration.maximumWaiting")

    /// The error of bytes that arrive too slowly.
    static let lateBytes = ImageError(
        .limit, at: .reading, "the bytes take longer than allowed",
        setting: "ImageConverter.Configuration.receivingTime")

    /// The error of a conversion that exceeded its time limit.
    static let lateConversion = ImageError(
        .limit, at: .processing, "the conversion takes longer than allowed",
        setting: "ImageConverter.Configuration.time")

    /// Runs `body`, which reads or writes a file. Its errors get the path.
    package static func file<Value>(
        _ path: String, at stage: Stage, _ body: () throws -> Value
    ) throws(ImageError) -> Value {
        do {
            return try body()
        } catch let error as DataFileError {
            throw ImageError(
                error.isMissing ? .missing : .file, at: stage, "cannot \(error.call): \(error.reason)", path: path,
                underlying: error)
        } catch {
            throw ImageError(error, at: stage, path: path)
        }
    }
}
