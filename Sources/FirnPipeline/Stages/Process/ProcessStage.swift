import FirnImage

/// Runs one processor.
struct ProcessStage {
    /// What results are held to.
    let limits: ImageLimits

    func run(_ work: JobWork) -> StageOutcome {
        guard case .step(let step, let cancellation) = work.kind, case .image(let origin, let bytes) = work.input,
            case .process(let process) = step
        else {
            work.fail(error(.pipeline, "a processor without an image", work))
            return .failed
        }
        let processor = process.processor
        do {
            let context = ImageProcessingContext(
                cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
            var result = try processor.process(origin.container, context: context)
            // A processor may make a container of its own, which knows nothing of the source.
            result.sourceVersion = origin.container.sourceVersion
            result.freshNanoseconds = origin.container.freshNanoseconds
            result.isAnimated = origin.container.isAnimated
            result.data = origin.container.data
            result.isShownStale = origin.container.isShownStale
            // What it was made of is no preview.
            result.isPreview = false
            work.finish(result, of: bytes, progress: origin.progress)
            return .finished
        } catch {
            let fault = ProcessStage.fault(of: error, isCancelled: cancellation.isCancelled)
            let message = "the processor \(processor.identifier) failed: \(error)"
            work.fail(self.error(fault, message, work, underlying: error))
            return .failed
        }
    }

    /// A parameter is the request's fault, and so is what a closure of the caller's throws.
    private static func fault(of error: any Error, isCancelled: Bool) -> ImageLoadingError.Fault {
        if isCancelled { return .cancelled }
        return switch error {
        case is BitmapError: .limit
        case let error as ImageProcessingError where error.fault == .limit: .limit
        default: .request
        }
    }

    private func error(
        _ fault: ImageLoadingError.Fault, _ message: String, _ work: JobWork, underlying: (any Error)? = nil
    ) -> ImageLoadingError {
        ImageLoadingError(
            fault, at: .processing, source: work.request.description, message: message, underlying: underlying)
    }
}
