import FirnImage

extension ImageRequest {
    /// What is done to the bytes, in order: decode, then every processor.
    ///
    /// Without a target size of its own the decoder is told the first processor's, so that it decodes no more
    /// pixels than that processor uses.
    var steps: RequestSteps {
        if wantsBytes { return .list([]) }
        if case .image = source { return stepsOfPicture }
        let processors = processors
        let isExact = targetSize != nil
        if !isExact, processors.isEmpty, pixelFormat == .bgra8Premultiplied { return .plain }
        let target = targetSize ?? processors.first?.decodingTarget
        var steps: [RequestStep] = []
        steps.reserveCapacity(1 + processors.count)
        steps.append(.decode(RequestStep.Decode(target: target, isExact: isExact, format: pixelFormat)))
        for processor in processors { steps.append(.process(RequestStep.Process(processor))) }
        return .list(steps)
    }

    /// What is done to a picture that a closure made: size and layout first, where it has not got them, then every processor.
    private var stepsOfPicture: RequestSteps {
        let fit = FitProcessor(target: targetSize, format: pixelFormat)
        let first: [any ImageProcessing] = [fit]
        return .list((first + processors).map { .process(RequestStep.Process($0)) })
    }
}
