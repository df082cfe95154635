import FirnSync
import Logging
import NIOCore
import Testing

@testable import FirnServe

@Suite struct S3ResultStoreTests {
    private func store(
        _ server: S3TestServer, clock: TestClock = TestClock(), logger: Logger? = nil,
        _ change: (inout S3ResultStore.Limits) -> Void = { _ in }
    ) throws -> S3ResultStore {
        let address = try S3Address("s3://bucket?endpoint=http://127.0.0.1:\(server.port)")
        var limits = S3ResultStore.Limits()
        limits.readTime = .seconds(60)
        limits.storeTime = .seconds(60)
        change(&limits)
        let credentials = try S3CredentialStore(environment: S3TestServer.keys)
        return S3ResultStore(
            S3Client(address: address, credentials: credentials), limits: limits, logger: logger,
            clock: { .seconds(clock.seconds) })
    }

    @Test func `a fault is a miss, and a missing object is no fault`() async throws {
        let statuses = [404, 403, 500, 200]
        let server = try S3TestServer { .response(statuses[$0.number % 4], body: "x") }
        // A third fault would pause requests.
        let store = try store(server) { $0.faults = 3 }
        for _ in 0..<3 { #expect(await store.bytes(for: "a") == nil) }
        #expect(await store.bytes(for: "a") == ByteBuffer(string: "x"))
    }

    @Test func `faults in a row pause requests, and one finds out when they may go on`() async throws {
        let isBroken = Locked(true)
        let server = try S3TestServer { _ in
            isBroken.withLock { $0 } ? .response(500) : .response(200, body: "x")
        }
        let clock = TestClock()
        let store = try store(server, clock: clock) { limits in
            limits.faults = 2
            limits.pauses = .seconds(10)...Duration.seconds(20)
        }
        for _ in 0..<5 { #expect(await store.bytes(for: "a") == nil) }
        #expect(server.requests.count == 2)
        clock.seconds = 10
        for _ in 0..<3 { #expect(await store.bytes(for: "a") == nil) }
        #expect(server.requests.count == 3)
        isBroken.withLock { $0 = false }
        clock.seconds = 29
        #expect(await store.bytes(for: "a") == nil)
        clock.seconds = 30
        for _ in 0..<2 { #expect(await store.bytes(for: "a") != nil) }
        #expect(server.requests.count == 5)
    }

    @Test func `a bucket that fails to be read is left alone although it takes stores, and the log says so once`()
        async throws
    {
        let isBroken = Locked(true)
        let server = try S3TestServer { request in
            .response(request.head.hasPrefix("GET") && isBroken.withLock { $0 } ? 500 : 200)
        }
        let (clock, lines) = (TestClock(), LogLines())
        let store = try store(server, clock: clock, logger: lines.logger(.text))
        for _ in 0..<20 {
            #expect(await store.bytes(for: "a") == nil)
            await store.store(ByteBuffer(string: "y"), for: "b")
        }
        #expect(server.requests.count { $0.head.hasPrefix("GET") } == 5)
        #expect(server.requests.count { $0.head.hasPrefix("PUT") } == 20)
        #expect(lines.all.count == 1 && lines.all[0].contains("warning the S3 store fails"))
        isBroken.withLock { $0 = false }
        clock.seconds = 10
        for _ in 0..<3 { #expect(await store.bytes(for: "a") != nil) }
        #expect(lines.all.count == 2 && lines.all[1].contains("notice the S3 store works again"))
    }

    @Test func `a slow store is a miss at the time limit`() async throws {
        let server = try S3TestServer { _ in .held([]) }
        let lines = LogLines()
        let store = try store(server, logger: lines.logger(.text)) { limits in
            limits.readTime = .milliseconds(100)
            limits.faults = 1
        }
        #expect(await store.bytes(for: "a") == nil)
        #expect(lines.all.count == 1)
    }

    @Test func `an object that the bucket does not replace is no fault`() async throws {
        let server = try S3TestServer { $0.number == 0 ? .response(200) : .response(412) }
        let store = try store(server) { $0.faults = 1 }
        for _ in 0..<3 { await store.store(ByteBuffer(string: "y"), for: "b") }
        #expect(server.requests.count == 3)
    }

    @Test func `stores beyond the limits are dropped`() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let server = try S3TestServer { _ in
            arrived.yield()
            return .held([])
        }
        let store = try store(server) { limits in
            limits.stores = 2
            limits.bytes = 10
        }
        await withTaskGroup(of: Void.self) { group in
            for name in ["a", "b"] { group.addTask { await store.store(ByteBuffer(string: "y"), for: name) } }
            var iterator = arrivals.makeAsyncIterator()
            for _ in 0..<2 { await iterator.next() }
            await store.store(ByteBuffer(string: "y"), for: "c")
            group.cancelAll()
        }
        await store.store(ByteBuffer(repeating: 0, count: 11), for: "d")
        #expect(server.requests.count == 2)
    }

    @Test func `the pause doubles up to its limit, and a success resets it`() {
        var breaker = StoreBreaker(threshold: 1, pauses: .seconds(1)...Duration.seconds(3))
        func permits(_ milliseconds: Int) -> Bool { breaker.permits(at: .milliseconds(milliseconds)) }
        func opens(_ milliseconds: Int) -> Bool {
            let wasOpen = breaker.isOpen
            breaker.record(isFailure: true, at: .milliseconds(milliseconds))
            return !wasOpen && breaker.isOpen
        }
        let steps = [
            opens(0), permits(999), permits(1000), permits(1000), opens(1000), permits(2999), permits(3000),
            opens(3000), permits(5999), permits(6000),
        ]
        #expect(steps == [true, false, true, false, false, false, true, false, false, true])
        breaker.record(isFailure: false, at: .seconds(6))
        #expect(breaker == StoreBreaker(threshold: 1, pauses: .seconds(1)...Duration.seconds(3)))
    }
}
