import FirnImage
import FirnSync
import FirnSystem
import FirnTesting
import Synchronization
import Testing

@testable import FirnServe

/// Tests that a server can end at any time.
@Suite("An image server that stops", .timeLimit(.minutes(10)))
struct ServeStopTests {
    @Test func `while it drains, responses end their connections, also those from memory`() async throws {
        try await ServeFixture.run { fixture in
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            let text = "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
            let before = try await fixture.client.inTurn([text, text, text])
            #expect(before.allSatisfy { $0["Connection"] == nil })
            #expect(fixture.server.service.statistics.compared == 1)
            fixture.server.monitor.drain()
            let response = try await fixture.client.response(to: text)
            #expect(response.status == 200 && response["Connection"] == "close")
            #expect(response.body == before.first?.body)
            #expect(fixture.server.service.statistics.compared == 1)
            // The server closes a connection that its client keeps.
            try await eventually { fixture.server.connections.count == 0 }
        }
    }

    @Test(arguments: 0..<30)
    func `while clients connect, it ends, and the process goes on`(round: Int) async throws {
        let isDone = CancellationFlag()
        let connected = Atomic<Int>(0)
        let clients = Locked<[UInt]>([])
        try await ServeFixture.run { fixture in
            for _ in 0..<4 {
                let client = WorkerThread.startJoinable {
                    while !isDone.isCancelled {
                        guard let descriptor = try? fixture.client.silence() else { continue }
                        connected.add(1, ordering: .relaxed)
                        close(descriptor)
                    }
                }
                if let client { clients.withLock { $0.append(client) } }
            }
            try await eventually { connected.load(ordering: .relaxed) >= round }
        }
        isDone.cancel()
        for client in clients.withLock({ $0 }) { pthread_join(client, nil) }
    }
}
