public import FirnData

/// Checks the events of a transfer against the order that `DataLoading` requires: `response`, any number of `chunk`,
/// one `end`; or only `end`.
///
/// ```swift
/// var grammar = LoadGrammar()
/// for event in events { grammar.accept(event) }
/// #expect(grammar.violations.isEmpty && grammar.ends == 1)
/// ```
public struct LoadGrammar: Sendable {
    private var responses = 0
    private var bytes = 0
    private var expectedLength: Int?

    /// The number of `end` events.
    public private(set) var ends = 0
    /// Violations of the order, in words, in the order of the events.
    public private(set) var violations: [String] = []

    /// Creates a grammar before the first event.
    public init() {}

    /// Checks the next event.
    public mutating func accept(_ event: DataEvent) {
        if ends > 0 { violations.append("\(name(of: event)) after the end") }
        switch event {
        case .response(let response):
            responses += 1
            expectedLength = response.expectedLength
            if responses > 1 { violations.append("a second response") }
        case .chunk(let data):
            bytes += data.count
            if responses == 0 { violations.append("a chunk before the response") }
            if data.isEmpty { violations.append("an empty chunk") }
        case .end(let error):
            ends += 1
            guard error == nil else { return }
            if responses == 0 { violations.append("a good end without a response") }
            if let expectedLength, bytes != expectedLength {
                violations.append("a good end after \(bytes) bytes of \(expectedLength)")
            }
        }
    }

    private func name(of event: DataEvent) -> String {
        switch event {
        case .response: "a response"
        case .chunk: "a chunk"
        case .end: "an end"
        }
    }
}
