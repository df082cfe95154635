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
    /// What came so far.
    public struct Result: Sendable {
        /// The response, if one came.
        public fileprivate(set) var response: DataResponse?
        /// Every byte of the body that came.
        public fileprivate(set) var body = Data()
        /// How many chunks it came in.
        public fileprivate(set) var chunks = 0
        /// Whether the transfer is over.
        public var isOver: Bool { grammar.ends > 0 }
        /// How many ends came: one, in a right loader.
        public var ends: Int { grammar.ends }
        /// How the transfer ended, if not well.
        public fileprivate(set) var error: DataLoadingError?
        /// What was wrong with the order of the events.
        public var violations: [String] { grammar.violations }
        fileprivate var grammar = LoadGrammar()
    }

    private let state = Watched(Result())

    /// A recorder of nothing yet.
    public init() {}

    /// What came so far.
    public var result: Result { state.value }

    /// Takes an event: what is given to `startLoading`.
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

    /// Waits until what came satisfies a condition, and returns it as it then was.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Result) -> Bool) async -> Result {
        await state.wait(until: isReached)
    }
}
