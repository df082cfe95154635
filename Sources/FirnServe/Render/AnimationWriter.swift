import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials

/// Writes the frames of an animation, each processed, one after the other, so that only one is in memory.
struct AnimationWriter: Sendable {
    let plan: RenderPlan
    /// 0 to 1, for lossy formats; `nil` for the encoder's default.
    let quality: Double?
    let limits: ImageLimits

    /// Returns the whole file. Checks the cancellation flag before each frame. Leaves out damaged frames behind the
    /// first one.
    ///
    /// - Throws: status 422 if a frame cannot be decoded, processed or encoded; 499 after a cancellation.
    func data(_ decoder: ImageDecoder, _ cancellation: CancellationFlag) throws(ServeError) -> Data {
        do {
            return try write(decoder, cancellation)
        } catch let error as ServeError {
            throw error
        } catch {
            if cancellation.isCancelled { throw .clientClosed }
            switch error {
            case let error as ImageDecodingError: throw ServeError(422, error.message)
            case let error as ImageProcessingError: throw ServeError(422, error.message)
            case let error as ImageEncodingError: throw ServeError(422, error.message)
            default: throw ServeError(422, "there is no memory for a frame")
            }
        }
    }

    private func write(_ decoder: ImageDecoder, _ cancellation: CancellationFlag) throws -> Data {
        let missing = ServeError(422, "format: \(plan.format.rawValue) is not written with frames")
        let encoder = ImageEncoders.encoder(for: plan.format, quality: quality)
        guard let encoder = encoder as? any AnimationEncoding else { throw missing }
        var options = DecodingOptions()
        options.region = plan.region
        options.targetSize = TargetSize(plan.decodedSize, mode: .fill)
        let processors = ImageProcessors.Composition(plan.processors)
        let context = ImageProcessingContext(cancellation: cancellation, limits: limits)
        var session: (any AnimationEncodingSession)?
        for index in 0..<min(plan.frames, decoder.frameCount) {
            if cancellation.isCancelled { throw ServeError.clientClosed }
            let frame: Bitmap
            do throws(ImageDecodingError) {
                frame = try decoder.frame(at: index, options: options).image()
            } catch {
                guard session != nil, error.fault == .data else { throw error }
                continue
            }
            let image = try processors.process(ImageContainer(image: frame), context: context).image
            if session == nil {
                session = try encoder.makeAnimation(
                    size: image.size, repetitions: decoder.repetitionCount ?? .once,
                    isOpaque: image.isOpaque && decoder.properties?.hasAlpha == false,
                    colorProfile: image.colorProfile, cancellation: cancellation)
            }
            try session?.append(image, duration: decoder.frameDuration(at: index) ?? .milliseconds(100))
        }
        guard let session else { throw missing }
        return try session.finish()
    }
}
