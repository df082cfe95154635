import FirnImage

extension ImageRequest {
    /// What is done to the bytes, in order: decode, then every processor.
    ///
    /// Without a target size of its own the decoder is told the first processor's, so that it decodes no more
    /// pixels than that processor uses.
    var steps: RequestSteps {
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
}
