/// Describes why a text is not a list of processors.
struct ProcessorSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The whole text.
    let text: String
    /// The wrong characters of the text, counted from 0; empty if something is missing.
    let range: Range<Int>
    /// The error message, in one line.
    let message: String

    /// The message, the text, and a line that marks the wrong characters.
    var description: String {
        let marks = String(repeating: " ", count: range.lowerBound) + String(repeating: "^", count: max(1, range.count))
        return "\(message)\n  \(text)\n  \(marks)"
    }
}
