import FirnData
import FirnHTTP
import FirnSync

/// Answers look-ups from a script: each question gets the next answer, and the last answer repeats.
final class FakeResolver: HostResolving {
    private let answers: Locked<[String: [[String]]]>
    private let asked = Locked<[String]>([])

    init(_ answers: [String: [[String]]]) { self.answers = Locked(answers) }

    var questions: [String] { asked.withLock { $0 } }

    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void) {
        asked.withLock { $0.append(host) }
        let next = answers.withLock { answers -> [String]? in
            guard let line = answers[host], let first = line.first else { return nil }
            if line.count > 1 { answers[host] = Array(line.dropFirst()) }
            return first
        }
        guard let next else { return answer(.failure(DataLoadingError(.connection, "unknown host \(host)"))) }
        answer(.success(next.compactMap { NetworkAddress($0) }))
    }
}

/// Responds when the test tells it to.
final class SlowResolver: HostResolving {
    private let waiting = Locked<[@Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void]>([])
    /// An element for each question.
    let questions: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation

    init() { (questions, asked) = AsyncStream.makeStream() }

    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void) {
        waiting.withLock { $0.append(answer) }
        asked.yield()
    }

    func resolve(with addresses: [String]) {
        let waiting = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in waiting { answer(.success(addresses.compactMap { NetworkAddress($0) })) }
    }
}
