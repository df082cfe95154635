/// Why a text is no list of processors.
public struct ProcessorSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The whole text.
    public let text: String
    /// Which characters of it are wrong, counted from 0; empty where something is missing.
    public let range: Range<Int>
    /// What was wrong, in one line.
    public let message: String

    /// What was wrong, the text, and a line of marks under what is meant.
    public var description: String {
        let marks = String(repeating: " ", count: range.lowerBound) + String(repeating: "^", count: max(1, range.count))
        return "\(message)\n  \(text)\n  \(marks)"
    }
}
