struct ProcessStage {
    let limits: ImageLimits

    func run(
        _ process: Box<any ImageProcessing>, _ job: EngineJob, _ cancellation: CancellationFlag
    ) -> StageOutcome {
        guard case .image(let origin, let bytes)? = job.input else {
            return .failed(.init(.pipeline, at: .processing, of: job.request, "a processor without an image"))
        }
        let processor = process.value
        do {
            let context = ImageProcessingContext(
                cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
            var result = try processor.process(origin.container, context: context)
            // A processor may create a container of its own, without the properties of the source.
            result.sourceVersion = origin.container.sourceVersion
            result.freshNanoseconds = origin.container.freshNanoseconds
            result.isAnimated = origin.container.isAnimated
            result.data = origin.container.data
            result.isShownStale = origin.container.isShownStale
            result.damage = origin.container.damage
            result.selecting = origin.container.selecting
            // The input was a final image.
            result.isPreview = false
            job.input = nil
            return .done(.image(result, of: bytes, progress: origin.progress))
        } catch {
            let fault = ProcessStage.fault(of: error, isCancelled: cancellation.isCancelled)
            let message = "the processor \(processor.identifier) failed: \(error)"
            return .failed(.init(fault, at: .processing, of: job.request, message, underlying: error))
        }
    }

    /// Parameters are the fault of the request, and so are errors of the program's closures.
    static func fault(of error: any Error, isCancelled: Bool) -> ImageLoadingError.Fault {
        if isCancelled { return .cancelled }
        return (error as? ImageError)?.fault == .limit ? .limit : .request
    }
}
