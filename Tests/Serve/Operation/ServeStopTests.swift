import FirnImage
import FirnSync
import FirnSystem
import Synchronization
import Testing

@testable import FirnServe

/// Tests that a server can end at any time.
@Suite("An image server that stops", .timeLimit(.minutes(3)))
struct ServeStopTests {
    @Test("while clients connect, it ends, and the process goes on", arguments: 0..<30)
    func connecting(round: Int) async throws {
        try await ServeFixture.run { fixture in
            let isDone = CancellationFlag()
            let connected = Atomic<Int>(0)
            let clients = (0..<4).compactMap { _ in
                WorkerThread.startJoinable {
                    while !isDone.isCancelled {
                        guard let descriptor = try? fixture.client.silence() else { continue }
                        connected.add(1, ordering: .relaxed)
                        close(descriptor)
                    }
                }
            }
            while connected.load(ordering: .relaxed) < round { await Task.yield() }
            Task.detached {
                try await Task.sleep(for: .milliseconds(20))
                isDone.cancel()
                clients.forEach { pthread_join($0, nil) }
            }
        }
    }
}
