/// A gate that suspends its callers until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

    func wait() async { for await _ in stream {} }
    func open() { continuation.finish() }
}
