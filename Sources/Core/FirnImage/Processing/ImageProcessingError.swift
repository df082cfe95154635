/// A processing failure, classified by its cause. The image itself is unchanged.
public struct ImageProcessingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause of the failure.
    public enum Fault: String, Hashable, Sendable {
        /// A parameter of the processor is invalid.
        case parameter
        /// The result would exceed ``ImageLimits``, or there is no memory.
        case limit
        /// The image lacks what the processor works on.
        case image
    }

    /// The cause of the failure.
    public let fault: Fault
    /// The short name of the processor, from its identifier.
    public let processor: String
    /// The reason, in one line.
    public let message: String

    /// Creates an error.
    public init(_ fault: Fault, in processor: String, _ message: String) {
        self.fault = fault
        self.processor = processor
        self.message = message
    }

    /// The processor and the reason, in one line.
    public var description: String { "\(processor): \(message)" }
}
