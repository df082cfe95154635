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
        let encoder = ImageEncoders.encoder(for: plan.format, quality: quality)
        guard let encoder = encoder as? any AnimationEncoding else {
            throw ServeError(422, "format: \(plan.format.rawValue) is not written with frames")
        }
        var options = DecodingOptions()
        options.region = plan.region
        options.targetSize = TargetSize(plan.decodedSize, mode: .fill)
        let processors = ImageProcessors.Composition(plan.processors)
        let context = ImageProcessingContext(cancellation: cancellation, limits: limits)
        let frames = 0..<min(plan.frames, decoder.frameCount)
        return try encoder.encode(frames, of: decoder, cancellation: cancellation) { index in
            if cancellation.isCancelled { throw ServeError.clientClosed }
            return try decoder.frame(at: index, options: options).image()
        } process: {
            try processors.process(ImageContainer(image: $0), context: context).image
        }.data
    }
}
