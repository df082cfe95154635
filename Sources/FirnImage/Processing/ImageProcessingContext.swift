/// The surroundings of one call of a processor: its cancellation flag, its limits, and help from idle threads.
public struct ImageProcessingContext: Sendable {
    /// Asked between stripes of rows; once it is set, `process` throws `CancellationError`.
    public var cancellation: CancellationFlag
    /// What a result may cost: ``ImageLimits/maximumPixels`` and ``ImageLimits/maximumResultBytes``. A pipeline sets its own.
    public var limits: ImageLimits
    /// Runs the rows of a large image.
    package var stripes: any StripeExecutor

    /// Calls `body` with each number from 0 to `count` - 1, on this thread and on idle workers, and returns after the last call.
    ///
    /// For the rows of a large image, in stripes of about a millisecond each.
    public func perform(stripes count: Int, _ body: @Sendable (Int) -> Void) { stripes.perform(count, body) }

    /// Creates a context in which the calling thread does everything.
    ///
    /// - Parameter cancellation: stops the work. Default: a flag that nothing sets.
    public init(cancellation: CancellationFlag = CancellationFlag()) {
        self.init(cancellation: cancellation, limits: ImageLimits())
    }

    /// Creates a context with limits and an executor of its own.
    package init(
        cancellation: CancellationFlag = CancellationFlag(), limits: ImageLimits = ImageLimits(),
        stripes: any StripeExecutor = SerialStripes()
    ) {
        self.cancellation = cancellation
        self.limits = limits
        self.stripes = stripes
    }
}
