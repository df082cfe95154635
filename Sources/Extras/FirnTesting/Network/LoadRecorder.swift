public import FirnData
public import FoundationEssentials

/// Collects the events of one transfer, checks their order, and lets a test wait for them.
///
/// ```swift
/// let recorder = LoadRecorder()
/// let transfer = loader.startLoading(request) { recorder.receive($0) }
/// let result = await recorder.end()
/// #expect(result.error == nil && result.body == expected && result.violations.isEmpty)
/// ```
public final class LoadRecorder: Sendable {
    /// The events so far.
    public struct Result: Sendable {
        /// The response, if one came.
        public fileprivate(set) var response: DataResponse?
        /// The bytes of the body.
        public fileprivate(set) var body = Data()
        /// The number of chunks.
        public fileprivate(set) var chunks = 0
        /// True if the transfer has ended.
        public var isOver: Bool { grammar.ends > 0 }
        /// The number of `end` events; 1 for a correct loader.
        public var ends: Int { grammar.ends }
        /// The error of the end; `nil` if the body arrived whole.
        public fileprivate(set) var error: DataLoadingError?
        /// Violations of the order of the events.
        public var violations: [String] { grammar.violations }
        fileprivate var grammar = LoadGrammar()
    }

    private let state = Watched(Result())

    /// Creates an empty recorder.
    public init() {}

    /// The events so far.
    public var result: Result { state.value }

    /// Records an event. Pass this to `startLoading`.
    public func receive(_ event: DataEvent) {
        state.update { result in
            result.grammar.accept(event)
            switch event {
            case .response(let response): result.response = response
            case .chunk(let data):
                result.body.append(data)
                result.chunks += 1
            case .end(let error): if result.ends == 1 { result.error = error }
            }
        }
    }

    /// Waits for the end of the transfer.
    @discardableResult
    public func end() async -> Result { await state.wait { $0.isOver } }

    /// Waits until the events satisfy a condition, and returns them as they then were.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Result) -> Bool) async -> Result {
        await state.wait(until: isReached)
    }
}
