import FirnData
import FirnImage
import FirnProcessing
import FoundationEssentials

/// Turns bytes into pixels.
struct DecodeStage {
    let environment: StageEnvironment
    /// Decodes that hold less are not counted: asking for so little costs more than it saves.
    static let uncountedBytes = 1 << 20

    /// Decodes, once `reserve` grants the memory.
    ///
    /// - Parameter reserve: asked once, with an estimate in bytes; after `false` the work is parked and runs again
    ///   later.
    func run(_ work: JobWork, reserve: (Int) -> Bool) -> StageOutcome {
        guard case .step(let step, let cancellation) = work.kind, case .bytes(let bytes) = work.input,
            let decode = DecodeStage.decode(step)
        else {
            work.fail(error(.pipeline, "a decode without bytes", work))
            return .failed
        }
        // What the data cache has was proved when it was kept.
        if decode.isProof, bytes.isFromDisk { return finishProof(work, bytes) }
        do {
            let isFirst = work.session == nil
            let session = try work.session ?? open(bytes, work, cancellation)
            guard let properties = try session.properties() else {
                throw ImageDecodingError(.data, "the content ends before the image's size")
            }
            let options = decode.options(for: properties)
            if isFirst {
                let needed = session.workingBytes(for: options)
                try checkMemory(needed, properties)
                if needed > DecodeStage.uncountedBytes {
                    // Order: kept before, since it may go on elsewhere as soon as it is parked.
                    work.session = session
                    if !reserve(needed) { return .pending }
                }
            }
            defer { work.session = nil }
            let image = try DecodeStage.finish(try session.decode(options), decode, properties)
            var container = ImageContainer(
                image: image, format: properties.format, originalSize: properties.displaySize,
                sourceVersion: bytes.version)
            note(properties, of: bytes, in: &container)
            if decode.isProof { return finishProof(work, bytes) }
            environment.freshness?.mark(&container, bytes, work.request)
            work.finish(consume container, of: bytes)
            return .finished
        } catch let cause {
            work.session = nil
            work.fail(translated(cause, work))
            return .failed
        }
    }

    /// Notes whether the file is an animation, and has the image keep its bytes if it is one.
    ///
    /// Called when all bytes are there: before that a format without a frame count cannot tell.
    func note(_ properties: ImageProperties, of bytes: FetchedBytes, in container: inout ImageContainer) {
        bytes.noteFrames(properties.frameCount)
        container.isAnimated = properties.isAnimation
        if properties.isAnimation, environment.keepsAnimationData { container.data = bytes.original }
    }

    /// Holds any decoder to the ceiling, also one that does not look at its limits.
    ///
    /// - Throws: ``/FirnImage/ImageDecodingError`` of the fault `limit`.
    func checkMemory(_ needed: Int, _ properties: ImageProperties) throws(ImageDecodingError) {
        let most = environment.limits.maximumWorkingBytes
        guard needed > most else { return }
        throw ImageDecodingError(
            .limit, "decoding takes \(needed) bytes of memory; ImageLimits.maximumWorkingBytes allows \(most)",
            format: properties.format)
    }

    /// The bytes are good: the task ends with them, and with no image.
    func finishProof(_ work: JobWork, _ bytes: FetchedBytes) -> StageOutcome {
        guard let container = JobRunner.noImage else {
            work.fail(error(.limit, "no memory", work))
            return .failed
        }
        work.product = .image(
            ImageResponse.Origin(
                container, bytes.response, bytes.cacheType, isStale: bytes.known?.isStale ?? false,
                progress: bytes.progress, proved: bytes), bytes)
        work.input = .none
        return .finished
    }

    /// What a decode is to do.
    struct Order {
        let target: TargetSize?
        let isExact: Bool
        let format: PixelFormat
        var isProof = false

        /// What the decoder is told. An opaque layout is a wish that an image with transparency cannot meet.
        func options(for properties: ImageProperties) -> DecodingOptions {
            var options = DecodingOptions()
            options.targetSize = target
            options.pixelFormat = format == .rgb8 && properties.hasAlpha ? .bgra8Premultiplied : format
            return options
        }
    }

    static func decode(_ step: RequestStep) -> Order? {
        switch step {
        case .plainDecode: Order(target: nil, isExact: false, format: .bgra8Premultiplied)
        case .decode(let decode):
            Order(target: decode.target, isExact: decode.isExact, format: decode.format, isProof: decode.isProof)
        case .process: nil
        }
    }

    private func open(
        _ bytes: FetchedBytes, _ work: JobWork, _ cancellation: CancellationFlag
    ) throws -> any ImageDecodingSession {
        let head = try bytes.head(ImageFormat.sniffLength)
        let session = try session(
            for: head, bytes.response, isFromDisk: bytes.isFromDisk, of: work.request, cancellation)
        try bytes.feed(session)
        return session
    }

    /// A session of the decoder that recognizes the first bytes.
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

    /// The decoder's image, which has at least the target's pixels; at exactly the target's size where that is asked
    /// for.
    static func finish(_ image: Bitmap, _ decode: Order, _ properties: ImageProperties) throws -> Bitmap {
        guard decode.isExact, let target = decode.target else { return image }
        let size = target.resolved(for: properties.displaySize)
        return size == image.size ? image : try image.resized(to: size)
    }

    func translated(_ cause: any Error, _ work: JobWork) -> ImageLoadingError {
        switch cause {
        case let cause as ImageDecodingError: ImageLoadingError(cause, source: work.request.description)
        case let cause as FileError: error(.source, "cannot \(cause.call): \(cause.reason)", work, underlying: cause)
        case let cause as BitmapError: error(.limit, "\(cause)", work, underlying: cause)
        case is CancellationError: error(.cancelled, "the request was cancelled", work, underlying: cause)
        default: error(.data, "\(cause)", work, underlying: cause)
        }
    }

    private func error(
        _ fault: ImageLoadingError.Fault, _ message: String, _ work: JobWork, underlying: (any Error)? = nil
    ) -> ImageLoadingError {
        ImageLoadingError(
            fault, at: .decoding, source: work.request.description, message: message, underlying: underlying)
    }
}
