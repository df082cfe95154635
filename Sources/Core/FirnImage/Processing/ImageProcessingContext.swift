/// The context of one call of a processor: cancellation flag, limits, and access to idle threads.
public struct ImageProcessingContext: Sendable {
    /// The flag that processors check between stripes of rows; once it is set, `process` throws `CancellationError`.
    public var cancellation: CancellationFlag
    /// The limits of a result: ``ImageLimits/maximumPixels`` and ``ImageLimits/maximumResultBytes``. A pipeline sets
    /// its own.
    public var limits: ImageLimits
    /// The executor of stripes.
    package var stripes: any StripeExecutor

    /// Calls `body` with each number from 0 to `count` - 1, on this thread and on idle workers, and returns after the
    /// last call.
    ///
    /// Use it for the rows of a large image, in stripes of about a millisecond each.
    public func perform(stripes count: Int, _ body: @Sendable (Int) -> Void) { stripes.perform(count, body) }

    /// Creates a context in which the calling thread does all work.
    ///
    /// - Parameter cancellation: the flag to check. Default: one that is never set.
    public init(cancellation: CancellationFlag = CancellationFlag()) {
        self.init(cancellation: cancellation, limits: ImageLimits())
    }

    /// Creates a context with limits and an executor.
    package init(
        cancellation: CancellationFlag = CancellationFlag(), limits: ImageLimits = ImageLimits(),
        stripes: any StripeExecutor = SerialStripes()
    ) {
        self.cancellation = cancellation
        self.limits = limits
        self.stripes = stripes
    }
}
