/// Decodes a frame that is not composited.
final class SingleFrameDecode: FrameDecode {
    private let reader: any FormatReader
    private let plan: DecodePlan
    private let limits: ImageLimits
    private var builder: ImageBuilder?

    init(_ reader: any FormatReader, _ plan: DecodePlan, limits: ImageLimits) {
        self.reader = reader
        self.plan = plan
        self.limits = limits
    }

    var bytesNeeded: Int? { builder?.bytesNeeded }

    func advance(_ chain: ByteChain) throws(ImageError) -> Bool {
        if builder == nil {
            try chain.watch.check()
            // Order: checks the memory for the result first.
            let size = plan.imageSize(rows: reader.partSize(for: plan.request))
            try limits.admitBuffer(size, plan.options.pixelFormat)
            guard let source = try reader.openPart(plan.narrowRequest, chain, limits: limits) else { return false }
            builder = try ImageBuilder(source, plan, limits: limits)
        }
        return try builder?.advance(chain) ?? false
    }

    func partial(_ chain: ByteChain, always: Bool) throws(ImageError) -> Bitmap? {
        try builder?.partial(chain, always: always)?.oriented(plan.orientation)
    }

    func finish() throws(ImageError) -> Bitmap {
        guard let builder else { throw .unsupported("an image is taken once it is complete") }
        return try builder.finish().oriented(plan.orientation)
    }
}
