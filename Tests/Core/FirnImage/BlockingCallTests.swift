import FirnImage
import FirnSync
import Testing

/// Tests calls on Firn's threads for Swift tasks.
@Suite struct BlockingCallTests {
    private struct Failure: Error {}

    @Test func `the value and the error of a call reach the task`() async throws {
        #expect(try await BlockingCall.run { _ in 7 } == 7)
        await #expect(throws: Failure.self) { try await BlockingCall<Int>.run { _ in throw Failure() } }
    }

    @Test func `calls run in order on the threads of their queue`() async throws {
        let queue = WorkerQueue(count: 1)
        let order = Locked<[Int]>([])
        for number in 0..<1_000 { queue.run { order.withLock { $0.append(number) } } }
        try await BlockingCall.run(on: queue) { _ in }
        #expect(order.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `a call that waits ends at once when its task is cancelled, and never runs`() async throws {
        let queue = WorkerQueue(count: 1)
        let (gate, hasRun) = (Gate(), Locked(false))
        queue.run { gate.pass() }
        let task = Task { try await BlockingCall.run(on: queue) { _ in hasRun.withLock { $0 = true } } }
        task.cancel()
        // The only thread is still blocked.
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        try await BlockingCall.run(on: queue) { _ in }
        #expect(!hasRun.withLock { $0 })
    }

    @Test func `a running call sees the flag, and its task waits for its end`() async throws {
        let (begun, ended) = (Gate(), Locked(false))
        let task = Task {
            try await BlockingCall.run(on: WorkerQueue(count: 1)) { flag in
                begun.open()
                while !flag.isCancelled {}
                ended.withLock { $0 = true }
                throw Failure()
            }
        }
        try await onThread { begun.pass() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ended.withLock { $0 })
    }

    @Test func `a task that leaves its running call behind ends at once when it is cancelled`() async throws {
        let (begun, gate, queue) = (Gate(), Gate(), WorkerQueue(count: 1))
        let task = Task {
            try await BlockingCall.run(on: queue, leavesRunning: true) { _ in
                begun.open()
                gate.pass()
            }
        }
        try await onThread { begun.pass() }
        task.cancel()
        // The thread is still blocked.
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        try await BlockingCall.run(on: queue) { _ in }
    }

    /// A semaphore that can be shared.
    private final class Gate: Sendable {
        private let semaphore = ThreadSemaphore()
        func open() { semaphore.post() }
        func pass() { semaphore.wait() }
    }
}
