/// Why an image could not be processed. The image itself is unharmed.
public struct ImageProcessingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The party at fault.
    public enum Fault: String, Hashable, Sendable {
        /// A parameter of the processor makes no sense.
        case parameter
        /// The result would exceed ``ImageLimits``, or the machine's memory.
        case limit
        /// The image has nothing of what the processor is to work on.
        case image
    }

    /// The party at fault.
    public let fault: Fault
    /// The processor, by the short name of its identifier.
    public let processor: String
    /// What was wrong, in one line.
    public let message: String

    /// Creates an error.
    public init(_ fault: Fault, in processor: String, _ message: String) {
        self.fault = fault
        self.processor = processor
        self.message = message
    }

    /// One line: the processor and what was wrong.
    public var description: String { "\(processor): \(message)" }
}
