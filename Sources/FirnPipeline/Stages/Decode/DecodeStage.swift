import FirnData
import FirnImage
import FirnProcessing
import FoundationEssentials

/// Turns bytes into pixels.
struct DecodeStage {
    let environment: StageEnvironment
    /// Decodes that need less are not counted, since a reservation costs more than it saves.
    static let uncountedBytes = 1 << 20

    /// Decodes whole bytes once `reserve` grants the memory.
    ///
    /// - Parameter reserve: asked once, with an estimate in bytes. After `false` the job is parked and runs again
    ///   later.
    func run(
        _ step: RequestStep, _ job: EngineJob, _ cancellation: CancellationFlag, reserve: (Int) -> Bool
    ) -> StageOutcome {
        guard case .bytes(let bytes)? = job.input, let decode = DecodeStage.order(step) else {
            return .failed(error(.pipeline, "a decode without bytes", job.request))
        }
        // The data cache stores only bytes that were proved.
        if decode.isProof, bytes.isFromDisk {
            job.input = nil
            return .done(.proof(bytes))
        }
        do {
            let isFirst = job.session == nil
            let session = try job.session ?? open(bytes, job.request, cancellation)
            guard let properties = try session.properties() else {
                throw ImageDecodingError(.data, "the content ends before the image's size")
            }
            let options = decode.options(for: properties)
            if isFirst {
                let needed = session.workingBytes(for: options)
                try checkMemory(needed, properties)
                if needed > DecodeStage.uncountedBytes {
                    // Order: set first, since another thread may continue as soon as the job is parked.
                    job.session = session
                    if !reserve(needed) { return .pending }
                }
            }
            defer { job.session = nil }
            let image = try DecodeStage.finish(try session.decode(options), decode, properties)
            var container = ImageContainer(
                image: image, format: properties.format, originalSize: properties.displaySize,
                sourceVersion: bytes.version)
            note(properties, of: bytes, in: &container)
            job.input = nil
            if decode.isProof { return .done(.proof(bytes)) }
            environment.freshness?.mark(&container, bytes, job.request)
            return .done(.image(consume container, of: bytes))
        } catch let cause {
            job.session = nil
            return .failed(translated(cause, job.request))
        }
    }

    /// Notes whether the file is an animation. The image keeps the bytes of an animation.
    ///
    /// Called when all bytes are there. Before that, a format without a frame count cannot tell.
    func note(_ properties: ImageProperties, of bytes: FetchedBytes, in container: inout ImageContainer) {
        bytes.noteFrames(properties.frameCount)
        container.isAnimated = properties.isAnimation
        if properties.isAnimation, environment.keepsAnimationData { container.data = bytes.original }
    }

    /// Applies the limit to every decoder, also to one that ignores its limits.
    ///
    /// - Throws: ``/FirnImage/ImageDecodingError`` of the fault `limit`.
    func checkMemory(_ needed: Int, _ properties: ImageProperties) throws(ImageDecodingError) {
        let most = environment.limits.maximumWorkingBytes
        guard needed > most else { return }
        throw ImageDecodingError(
            .limit, "decoding takes \(needed) bytes of memory; ImageLimits.maximumWorkingBytes allows \(most)",
            format: properties.format)
    }

    /// The parameters of a decode.
    struct Order {
        let target: TargetSize?
        let isExact: Bool
        let format: PixelFormat
        var isProof = false

        /// The options for the decoder. An image with transparency cannot have an opaque layout.
        func options(for properties: ImageProperties) -> DecodingOptions {
            var options = DecodingOptions()
            options.targetSize = target
            options.pixelFormat = format == .rgb8 && properties.hasAlpha ? .bgra8Premultiplied : format
            return options
        }
    }

    /// The parameters of a step; `nil` for a processor.
    static func order(_ step: RequestStep) -> Order? {
        switch step {
        case .plainDecode: Order(target: nil, isExact: false, format: .bgra8Premultiplied)
        case .decode(let decode):
            Order(target: decode.target, isExact: decode.isExact, format: decode.format, isProof: decode.isProof)
        case .process: nil
        }
    }

    private func open(
        _ bytes: FetchedBytes, _ request: ImageRequest, _ cancellation: CancellationFlag
    ) throws -> any ImageDecodingSession {
        let head = try bytes.head(ImageFormat.sniffLength)
        let session = try session(
            for: head, bytes.response, isFromDisk: bytes.isFromDisk, of: request, cancellation)
        try bytes.feed(session)
        return session
    }

    /// Opens a session of the decoder that recognizes the first bytes.
    func session(
        for head: Data, _ response: DataResponse?, isFromDisk: Bool = false, of request: ImageRequest,
        _ cancellation: CancellationFlag
    ) throws -> any ImageDecodingSession {
        guard !head.isEmpty else { throw ImageDecodingError(.data, "the source gave no bytes") }
        guard let decoder = environment.decoder(head, response, isFromDisk: isFromDisk, for: request) else {
            throw UnknownContent.error(head)
        }
        return decoder.makeSession(limits: environment.limits, cancellation: cancellation)
    }

    /// The image of the decoder, which has at least the pixels of the target. It is resized if the step wants the exact
    /// size.
    static func finish(_ image: Bitmap, _ decode: Order, _ properties: ImageProperties) throws -> Bitmap {
        guard decode.isExact, let target = decode.target else { return image }
        let size = target.resolved(for: properties.displaySize)
        return size == image.size ? image : try image.resized(to: size)
    }

    func translated(_ cause: any Error, _ request: ImageRequest) -> ImageLoadingError {
        switch cause {
        case let cause as ImageDecodingError: ImageLoadingError(cause, source: request.description)
        case let cause as FileError: error(.source, "cannot \(cause.call): \(cause.reason)", request, underlying: cause)
        case let cause as BitmapError: error(.limit, "\(cause)", request, underlying: cause)
        case is CancellationError: error(.cancelled, "the request was cancelled", request, underlying: cause)
        default: error(.data, "\(cause)", request, underlying: cause)
        }
    }

    private func error(
        _ fault: ImageLoadingError.Fault, _ message: String, _ request: ImageRequest, underlying: (any Error)? = nil
    ) -> ImageLoadingError {
        ImageLoadingError(
            fault, at: .decoding, source: request.description, message: message, underlying: underlying)
    }
}
