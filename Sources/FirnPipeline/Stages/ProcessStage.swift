import FirnImage

/// Runs one processor.
struct ProcessStage {
    func run(_ work: JobWork) -> StageOutcome {
        guard case .step(let step, let cancellation) = work.kind, case .picture(let origin, let bytes) = work.input,
            case .process(let process) = step
        else {
            work.fail(error(.pipeline, "a processor without a picture", work))
            return .failed
        }
        let processor = process.processor
        do {
            var result = try processor.process(origin.container, cancellation: cancellation)
            // A processor may make a container of its own, which knows nothing of the source.
            result.sourceVersion = origin.container.sourceVersion
            result.freshUntil = origin.container.freshUntil
            result.isShownStale = origin.container.isShownStale
            work.finish(result, of: bytes)
            return .finished
        } catch {
            let isCancelled = cancellation.isCancelled
            work.fail(
                self.error(
                    isCancelled ? .cancelled : .request, "the processor \(processor.identifier) failed: \(error)", work)
            )
            return .failed
        }
    }

    private func error(_ fault: ImageLoadingError.Fault, _ message: String, _ work: JobWork) -> ImageLoadingError {
        ImageLoadingError(fault, at: .processing, source: work.request.description, message: message)
    }
}
