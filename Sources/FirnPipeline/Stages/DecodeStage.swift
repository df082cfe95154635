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
    /// - Parameter reserve: asked once, with an estimate in bytes; after `false` the work is parked and runs again later.
    func run(_ work: JobWork, reserve: (Int) -> Bool) -> StageOutcome {
        guard case .step(let step, let cancellation) = work.kind, case .bytes(let bytes) = work.input,
            let decode = DecodeStage.decode(step)
        else {
            work.fail(error(.pipeline, "a decode without bytes", work))
            return .failed
        }
        var options = DecodingOptions()
        options.targetSize = decode.target
        options.pixelFormat = decode.format
        do {
            let isFirst = work.session == nil
            let session = try work.session ?? open(bytes, for: work.request, cancellation)
            guard let properties = try session.properties() else {
                throw DecodingError(.data, "the content ends before the picture's size")
            }
            if isFirst {
                let needed = session.workingBytes(for: options)
                work.session = session
                if needed > DecodeStage.uncountedBytes, !reserve(needed) { return .pending }
            }
            defer { work.session = nil }
            var image = try session.decode(options)
            if decode.isExact, let target = decode.target { image = try DecodeStage.fit(image, target, properties) }
            work.product = .picture(ImageContainer(image: image, format: properties.format), bytes)
            work.input = .none
            return .finished
        } catch let cause {
            work.session = nil
            work.fail(translated(cause, work))
            return .failed
        }
    }

    private static func decode(_ step: RequestStep) -> (target: TargetSize?, isExact: Bool, format: PixelFormat)? {
        switch step {
        case .plainDecode: (nil, false, .bgra8Premultiplied)
        case .decode(let decode): (decode.target, decode.isExact, decode.format)
        case .process: nil
        }
    }

    private func open(
        _ bytes: FetchedBytes, for request: ImageRequest, _ cancellation: CancellationFlag
    ) throws -> any ImageDecodingSession {
        let head = try bytes.head(ImageFormat.sniffLength)
        guard !head.isEmpty else { throw DecodingError(.data, "the source gave no bytes") }
        guard let decoder = environment.decoder(head, of: bytes, for: request) else {
            throw UnknownContent.error(head)
        }
        let session = decoder.makeSession(limits: environment.limits, cancellation: cancellation)
        try bytes.feed(session)
        return session
    }

    /// The decoder's picture, which has at least the target's pixels, at exactly the target's size.
    private static func fit(_ image: Bitmap, _ target: TargetSize, _ properties: ImageProperties) throws -> Bitmap {
        let size = target.resolved(for: properties.displaySize)
        return size == image.size ? image : try image.resized(to: size)
    }

    private func translated(_ cause: any Error, _ work: JobWork) -> ImageLoadingError {
        switch cause {
        case let cause as DecodingError: ImageLoadingError(cause, source: work.request.description)
        case let cause as FileError: error(.source, "cannot \(cause.call): \(cause.reason)", work)
        case let cause as BitmapError: error(.limit, "\(cause)", work)
        case is CancellationError: error(.cancelled, "the request was cancelled", work)
        default: error(.data, "\(cause)", work)
        }
    }

    private func error(_ fault: ImageLoadingError.Fault, _ message: String, _ work: JobWork) -> ImageLoadingError {
        ImageLoadingError(fault, at: .decoding, source: work.request.description, message: message)
    }
}
