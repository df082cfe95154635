/// What a processor works with.
public struct ImageProcessingContext: Sendable {
    /// Asked between stripes of rows; once it is set, `process` throws `CancellationError`.
    public var cancellation: CancellationFlag
    /// What may be allocated.
    public var limits: ProcessingLimits
    /// Who does the rows of a large image.
    public var stripes: any StripeExecutor

    /// A context. Default: the calling thread does everything.
    public init(
        cancellation: CancellationFlag = CancellationFlag(), limits: ProcessingLimits = ProcessingLimits(),
        stripes: any StripeExecutor = SerialStripes()
    ) {
        self.cancellation = cancellation
        self.limits = limits
        self.stripes = stripes
    }
}

/// Bounds that processors are held to, checked before memory is allocated.
public struct ProcessingLimits: Hashable, Sendable {
    /// Most pixels of a result. Default: 2^28, as for decoders.
    public var maximumPixels = 1 << 28
    /// Most bytes of a result. Default: 1 GiB, as for decoders.
    public var maximumBytes = 1 << 30

    /// The defaults.
    public init() {}
}
