import FirnSync
import FirnTesting
import Testing

@testable import FirnServe

@Suite("Calls that equal requests share", .timeLimit(.minutes(5)))
struct SingleFlightTests {
    private let flights = SingleFlight<String, Int, ServeError>(cancelled: .clientClosed)

    @Test func `64 equal requests run the work once and all get its result`() async throws {
        let gate = AsyncGate()
        let results = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<64 {
                group.addTask { [flights] in
                    try? await flights.value(for: "a") { () async throws(ServeError) in
                        await gate.wait()
                        return 7
                    }
                }
            }
            group.addTask { [flights] in
                try? await eventually { flights.waiting > 0 }
                gate.open()
                return nil
            }
            return await group.reduce(into: [Int]()) { if let value = $1 { $0.append(value) } }
        }
        #expect(results == Array(repeating: 7, count: 64))
        #expect(flights.waiting == 0)
    }

    @Test func `an error goes to all who wait, and is not kept`() async throws {
        for number in 1...2 {
            let error = await #expect(throws: ServeError.self) {
                try await flights.value(for: "a") { () async throws(ServeError) in
                    throw ServeError(422, "damaged \(number)")
                }
            }
            #expect(error == ServeError(422, "damaged \(number)"))
        }
    }

    @Test func `the work is cancelled when the last waiter leaves, and not before`() async throws {
        let (cancelled, cancels) = AsyncStream<Void>.makeStream()
        let begun = AsyncGate()
        let starts = Locked(0)
        let work: @Sendable () async throws(ServeError) -> Int = { () async throws(ServeError) in
            begun.open()
            starts.withLock { $0 += 1 }
            await withTaskCancellationHandler {
                let (never, _) = AsyncStream<Void>.makeStream()
                for await _ in never {}
            } onCancel: {
                cancels.yield()
            }
            throw .clientClosed
        }
        let first = Task { [flights] in try await flights.value(for: "a", work) }
        await begun.wait()
        let second = Task { [flights] in try await flights.value(for: "a", work) }
        try await eventually { flights.waiting >= 2 }
        first.cancel()
        #expect(await first.result.error == .clientClosed)
        #expect(flights.waiting == 1)
        second.cancel()
        #expect(await second.result.error == .clientClosed)
        for await _ in cancelled { break }
        #expect(flights.waiting == 0)
        #expect(starts.withLock { $0 } == 1)
    }
}

extension Result {
    fileprivate var error: ServeError? {
        if case .failure(let error) = self { error as? ServeError } else { nil }
    }
}

/// Opens once.
private final class AsyncGate: Sendable {
    private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
