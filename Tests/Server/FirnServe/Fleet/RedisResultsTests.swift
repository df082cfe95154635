import FirnSync
import FirnSystem
import FirnTesting
import NIOCore
import Testing

@testable import FirnServe

@Suite(
    "Results in Redis", .timeLimit(.minutes(10)),
    .enabled(if: RedisProcess.isInstalled, "redis-server is not installed: apt-get install redis-tools"))
struct RedisResultsTests {
    private let key = String(repeating: "0f", count: 32)

    private static func result(_ text: String) -> ServedResult {
        ServedResult(body: ByteBuffer(string: text), mediaType: "image/png", entityTag: "\"\(text)\"", made: 5)
    }

    private func results(
        _ address: String, lease: Duration = .seconds(30), stall: Duration = .seconds(30)
    ) throws -> RedisResults {
        RedisResults(try RedisAddress(address), within: .seconds(20), leaseTime: lease, stallTime: stall)
    }

    private func fleet(
        _ address: String, lease: Duration = .seconds(30), stall: Duration = .seconds(30)
    ) throws -> FleetResults {
        FleetResults(
            redis: try results(address, lease: lease, stall: stall), objects: nil, secrets: [[1]],
            patience: .seconds(60))
    }

    @Test func `a lease is given once, ends with its result, and by its token alone`() async throws {
        let server = try await RedisProcess()
        let (one, other) = (try results(server.address), try results(server.address))
        guard case .granted(let token) = await one.lease(key) else { throw RedisProcess.Failure() }
        #expect(await other.lease(key) == .held)
        await other.finish(key, token: "wrong", bytes: nil, lifetime: .seconds(60))
        #expect(await other.lease(key) == .held)
        await one.finish(key, token: token, bytes: ByteBuffer(string: "x"), lifetime: .seconds(60))
        #expect(await other.bytes(for: key) == ByteBuffer(string: "x"))
        guard case .granted = await other.lease(key) else { throw RedisProcess.Failure() }
        await one.finish(key, bytes: ByteBuffer(repeating: 0, count: 600 << 10), lifetime: .seconds(60))
        #expect(await other.bytes(for: key) == ByteBuffer(string: "x"))
        #expect(one.faults.isEmpty && other.faults.isEmpty)
    }

    @Test func `a password and a database are used, and a wrong password is a fault`() async throws {
        let server = try await RedisProcess()
        try await server.reply("ACL", "SETUSER", "firn", "on", ">s3:cret", "~f:*", "+@all", "&*")
        try await server.reply("CONFIG", "SET", "requirepass", "other")
        let place = "127.0.0.1:\(server.port)"
        let own = try results("redis://firn:s3%3Acret@\(place)/2")
        await own.finish(key, bytes: ByteBuffer(string: "a"), lifetime: .seconds(60))
        #expect(await own.bytes(for: key) == ByteBuffer(string: "a"))
        // The result is in another database.
        #expect(await (try results("redis://:other@\(place)")).bytes(for: key) == nil)
        for wrong in ["redis://\(place)", "redis://firn:x@\(place)", "redis://firn:s3%3Acret@\(place)/99"] {
            let results = try results(wrong)
            #expect(await results.bytes(for: key) == nil && results.faults.values.reduce(0, +) > 0)
        }
    }

    /// Has servers ask for one result at the same time. Returns how often it was made.
    private func race(_ fleets: [FleetResults], each count: Int) async throws -> Int {
        let made = Locked(0)
        try await withThrowingTaskGroup(of: String.self) { group in
            for fleet in fleets {
                for _ in 0..<count {
                    group.addTask {
                        let found = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
                            () async throws(ServeError) in
                            made.withLock { $0 += 1 }
                            for _ in 0..<1000 { await Task.yield() }
                            return Self.result("made")
                        }
                        return String(buffer: found.result.body)
                    }
                }
            }
            for try await text in group { #expect(text == "made") }
        }
        return made.withLock { $0 }
    }

    @Test func `two servers with 64 clients each make a result once`() async throws {
        let server = try await RedisProcess()
        #expect(try await race([fleet(server.address), fleet(server.address)], each: 64) == 1)
    }

    @Test func `so do two servers with a cluster of three nodes, whichever node they know`() async throws {
        let nodes = try await RedisNodes()
        let fleets = try nodes.nodes.map { try fleet($0.address) }
        #expect(try await race(fleets, each: 20) == 1)
        // Results of all slots are found.
        let results = try results(nodes.nodes[0].address)
        for number in 0..<50 {
            await results.finish("k\(number)", bytes: ByteBuffer(integer: number), lifetime: .seconds(60))
            #expect(await results.bytes(for: "k\(number)") == ByteBuffer(integer: number))
        }
        #expect(results.faults.isEmpty)
    }

    @Test func `a slot that is moving, and one that has moved, is found`() async throws {
        let nodes = try await RedisNodes()
        let name = "f:{\(key)}:r"
        let (slot, source) = ("\(RedisSlot.slot(of: name))", nodes.owner(of: name))
        let target = try #require(nodes.nodes.first { $0 !== source })
        let results = try results(source.address)
        await results.finish(key, bytes: ByteBuffer(string: "a"), lifetime: .seconds(60))
        let identifiers = (
            try #require(try await source.reply("CLUSTER", "MYID").string),
            try #require(try await target.reply("CLUSTER", "MYID").string)
        )
        try await target.reply("CLUSTER", "SETSLOT", slot, "IMPORTING", identifiers.0)
        try await source.reply("CLUSTER", "SETSLOT", slot, "MIGRATING", identifiers.1)
        try await source.reply("MIGRATE", "127.0.0.1", "\(target.port)", name, "0", "20000")
        // The source sends those who ask for the key to the target (ASK).
        #expect(await results.bytes(for: key) == ByteBuffer(string: "a"))
        try await target.reply("CLUSTER", "SETSLOT", slot, "NODE", identifiers.1)
        try await source.reply("CLUSTER", "SETSLOT", slot, "NODE", identifiers.1)
        // Now it is MOVED.
        #expect(await results.bytes(for: key) == ByteBuffer(string: "a"))
        #expect(results.faults.isEmpty)
    }

    @Test func `a lease lasts as long as the work, and no longer than its server`() async throws {
        let server = try await RedisProcess()
        let one = try fleet(server.address, lease: .seconds(12), stall: .seconds(12))
        let (other, bytes) = (try results(server.address), Locked(0))
        let progress = WorkProgress({
            bytes.withLock { bytes in
                bytes += 1
                return bytes
            }
        })
        let found = try await one.result(
            for: key, lifetime: .seconds(60), progress: progress, isServed: { _ in true }
        ) { () async throws(ServeError) in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(30) {
                // Sleeps: the lease, long as a busy machine runs tasks late, would end by itself meanwhile.
                try? await Task.sleep(for: .milliseconds(200))
                if await other.lease(key) != .held { return Self.result("lost") }
            }
            return Self.result("kept")
        }
        #expect(String(buffer: found.result.body) == "kept" && other.faults.isEmpty)
    }

    @Test func `when the server that makes a result is gone, one other makes it after the lease`() async throws {
        let server = try await RedisProcess()
        let lost = try results(server.address, lease: .milliseconds(700))
        guard case .granted = await lost.lease(key) else { throw RedisProcess.Failure() }
        lost.stop()
        let fleets = [try fleet(server.address), try fleet(server.address)]
        #expect(try await race(fleets, each: 10) == 1)
        #expect(fleets.reduce(0) { $0 + $1.waited } >= 19)
    }

    @Test func `the failure of a source is known to all servers until it may be asked again`() async throws {
        let server = try await RedisProcess()
        let (one, other) = (try fleet(server.address), try fleet(server.address))
        await one.keep(ServeError(502, "busy", retryAfter: 7), of: "http://h/a", now: 100)
        await one.keep(ServeError(404, "no"), of: "http://h/b", now: 100)
        #expect(await other.failure(of: "http://h/a", now: 103) == ServeError(502, "busy", retryAfter: 4))
        #expect(await other.failure(of: "http://h/a", now: 107) == nil)
        #expect(await other.failure(of: "http://h/b", now: 100) == nil)
        other.use(secrets: [[2]])
        #expect(await other.failure(of: "http://h/a", now: 103) == nil)
    }

    @Test func `an error goes to its caller, and the next server tries`() async throws {
        let server = try await RedisProcess()
        let (one, other) = (try fleet(server.address), try fleet(server.address))
        await #expect(throws: ServeError.self) {
            try await one.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
                () async throws(ServeError) in throw ServeError(422, "no image")
            }
        }
        let found = try await other.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
            () async throws(ServeError) in Self.result("b")
        }
        #expect(!found.isStored && other.waited == 0)
    }

    // MARK: Waiting servers

    /// Waits until servers listen for the end of the lease.
    private func untilListening(_ count: Int, _ server: RedisProcess) async throws {
        let channel = "f:{\(key)}:w"
        try await eventually {
            guard case .list(let counts)? = try? await server.reply("PUBSUB", "SHARDNUMSUB", channel) else {
                return false
            }
            return counts.last == .number(count)
        }
    }

    private func untilLeased(_ server: RedisProcess) async throws {
        try await eventually { (try? await server.reply("EXISTS", "f:{\(key)}:l")) == .number(1) }
    }

    /// Asks a server of its own for the result. Returns the body, `large` for a large one.
    private func respond(
        _ address: String, _ make: @escaping @Sendable () async throws(ServeError) -> ServedResult
    ) async throws -> Result<String, ServeError> {
        let fleet = try fleet(address)
        do throws(ServeError) {
            let result = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }, make).result
            return .success(result.count < 100 ? String(buffer: result.body) : "large")
        } catch {
            return .failure(error)
        }
    }

    /// Has a server make a result while two others wait. They make their own only if both do at the same time.
    ///
    /// - Returns: the responses of the three servers.
    private func wait(
        _ server: RedisProcess, for outcome: Result<ServedResult, ServeError>
    ) async throws -> [Result<String, ServeError>] {
        let (gate, made) = (Gate(), Locked(0))
        async let first = respond(server.address) { () async throws(ServeError) in
            do { try await eventually { gate.isOpen } } catch { throw .clientClosed }
            return try outcome.get()
        }
        try await untilLeased(server)
        let makeOwn: @Sendable () async throws(ServeError) -> ServedResult = { () async throws(ServeError) in
            made.withLock { $0 += 1 }
            do { try await eventually { made.withLock { $0 } == 2 } } catch { throw .clientClosed }
            return Self.result("own")
        }
        async let second = respond(server.address, makeOwn)
        async let third = respond(server.address, makeOwn)
        try await untilListening(2, server)
        gate.open()
        return try await [first, second, third]
    }

    private static func result(bytes: Int, isPartial: Bool = false) -> ServedResult {
        ServedResult(
            body: ByteBuffer(repeating: 0x37, count: bytes), mediaType: "image/png", entityTag: "\"a\"", made: 5,
            isPartial: isPartial)
    }

    @Test(arguments: [600 << 10, 3 << 20])
    func `servers that wait for a large result take it in parts`(_ bytes: Int) async throws {
        let server = try await RedisProcess()
        let found = try await wait(server, for: .success(Self.result(bytes: bytes)))
        #expect(found == Array(repeating: .success("large"), count: 3))
        // Later servers find the parts for a while; an incomplete result is a miss.
        let results = try results(server.address)
        #expect(await results.bytes(for: key).map { $0.readableBytes > bytes } == true)
        // The names of parts are the long ones.
        let names = try await server.reply("KEYS", "*").texts.filter { $0.count > 75 }
        try await server.reply("DEL", try #require(names.first))
        #expect(await results.bytes(for: key) == nil)
    }

    @Test(arguments: zip([17 << 20, 5], [false, true]))
    func `a result that is not shared is made by all waiting servers at once`(
        _ bytes: Int, _ isPartial: Bool
    ) async throws {
        let result = Self.result(bytes: bytes, isPartial: isPartial)
        let found = try await wait(try await RedisProcess(), for: .success(result))
        #expect(found == [.success(isPartial ? "77777" : "large"), .success("own"), .success("own")])
    }

    @Test func `a large result for which no server waits is not stored`() async throws {
        let server = try await RedisProcess()
        for _ in 0..<2 {
            let fleet = try fleet(server.address)
            let found = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
                () async throws(ServeError) in Self.result(bytes: 600 << 10)
            }
            #expect(!found.isStored && fleet.waited == 0)
        }
        #expect(try await server.reply("EXISTS", "f:{\(key)}:r") == .number(0))
    }

    @Test(arguments: [ServeError(404, "none"), ServeError(502, "busy", retryAfter: 7)])
    func `a failure reaches the waiting servers`(_ error: ServeError) async throws {
        let found = try await wait(try await RedisProcess(), for: .failure(error))
        #expect(found == Array(repeating: .failure(error), count: 3))
    }

    @Test func `the stored failure of a result is not a result`() async throws {
        let server = try await RedisProcess()
        _ = try await wait(server, for: .failure(ServeError(404, "none")))
        #expect(try await server.reply("COPY", "f:{\(key)}:e", "f:{\(key)}:r") == .number(1))
        #expect(try await respond(server.address) { Self.result("b") } == .success("b"))
    }

    @Test(arguments: [ServeError.clientClosed, .busy("x"), ServeError(500, "closed")])
    func `after a failure that is one server's own, another one makes the result`(_ error: ServeError) async throws {
        let server = try await RedisProcess()
        let (one, other) = (try results(server.address), try fleet(server.address))
        guard case .granted(let token) = await one.lease(key) else { throw RedisProcess.Failure() }
        async let found = other.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
            () async throws(ServeError) in Self.result("b")
        }
        try await untilListening(1, server)
        #expect(error.isOfServer)
        await one.finish(key, token: token, lifetime: .seconds(60))
        let isStored = try await found.isStored
        #expect(!isStored)
    }

    // MARK: Overtaking

    @Test func `a lease without progress is overtaken by one server, a third waits`() async throws {
        let server = try await RedisProcess()
        let redis = try results(server.address, stall: .milliseconds(200))
        guard case .granted(let first) = await redis.lease(key) else { throw RedisProcess.Failure() }
        let second = Locked("")
        try await eventually {
            guard case .granted(let token) = await redis.lease(key, isWaiting: true) else { return false }
            second.withLock { $0 = token }
            return true
        }
        // Neither makes progress.
        try await eventually { (try? await server.reply("EXISTS", "f:{\(key)}:o")) == .number(0) }
        #expect(await redis.lease(key, isWaiting: true) == .held)
        // The failure of one does not count while the other makes progress.
        let slow = try results(server.address)
        #expect(await slow.prolong(key, token: second.withLock { $0 }, hasProgress: true))
        await redis.finish(key, token: first, failure: ByteBuffer(string: "x"), lifetime: .seconds(60))
        #expect(await slow.lease(key, isWaiting: true) == .held)
        #expect(await slow.prolong(key, token: first, hasProgress: true) == false)
        await redis.finish(
            key, token: second.withLock { $0 }, failure: ByteBuffer(string: "y"), lifetime: .seconds(60))
        #expect(await slow.lease(key, isWaiting: true) == .ended(ByteBuffer(string: "y")))
        #expect(redis.faults.isEmpty && slow.faults.isEmpty)
    }

    @Test func `a server whose source hangs takes the result of the one that overtook it`() async throws {
        let server = try await RedisProcess()
        let (one, other) = (try fleet(server.address, stall: .milliseconds(200)), try fleet(server.address))
        async let hanging = one.result(
            for: key, lifetime: .seconds(60), progress: WorkProgress({ 0 }), isServed: { _ in true }
        ) { () async throws(ServeError) in
            // Sleeps: until the task is cancelled.
            try? await Task.sleep(for: .seconds(3600))
            throw .clientClosed
        }
        try await untilLeased(server)
        let found = try await other.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
            () async throws(ServeError) in Self.result("b")
        }
        #expect(!found.isStored && other.waited == 1)
        let taken = try await hanging
        #expect(taken.result == found.result && taken.isStored)
    }

    @Test func `results that do not prove themselves, or must not be served, are made again`() async throws {
        let server = try await RedisProcess()
        try await server.reply("SET", "f:{\(key)}:r", "FRES nonsense")
        let fleet = try fleet(server.address)
        for (isServed, expected) in [(true, false), (true, true), (false, false)] {
            let found = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in isServed }) {
                () async throws(ServeError) in Self.result("b")
            }
            #expect(found.isStored == expected)
        }
        // A list where a text should be.
        try await server.reply("DEL", "f:{\(key)}:r")
        try await server.reply("RPUSH", "f:{\(key)}:r", "x")
        let found = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
            () async throws(ServeError) in Self.result("b")
        }
        #expect(!found.isStored && fleet.faults[.refused] != nil)
    }

    @Test func `Redis without memory costs nothing but the sharing`() async throws {
        let server = try await RedisProcess(["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let fleet = try fleet(server.address)
        for _ in 0..<3 {
            let found = try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
                () async throws(ServeError) in Self.result("b")
            }
            #expect(!found.isStored)
        }
        #expect(fleet.faults[.refused] != nil)
    }

    @Test func `Redis that is paused, killed, or was never there is waited for once, not by each request`() async throws
    {
        let server = try await RedisProcess()
        let lines = LogLines()
        let redis = RedisResults(
            try RedisAddress(server.address), within: .milliseconds(300), leaseTime: .seconds(9),
            logger: lines.logger(.text))
        let fleet = FleetResults(redis: redis, objects: nil, secrets: [], patience: .seconds(9))
        func make() async throws -> Bool {
            try await fleet.result(for: key, lifetime: .seconds(60), isServed: { _ in true }) {
                () async throws(ServeError) in Self.result("b")
            }.isStored
        }
        #expect(try await make() == false)
        #expect(try await make())
        server.signal(SIGSTOP)
        for _ in 0..<30 { #expect(try await make() == false) }
        // Each rest is twice as long as the one before, so few commands were tried.
        #expect((1...20).contains(fleet.faults[.late] ?? 0))
        #expect(lines.all.count == 1 && lines.all[0].contains("warning Redis fails"))
        server.signal(SIGCONT)
        for _ in 0..<1000 where try await make() == false {
            // Sleeps: the client rests after faults.
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await make())
        #expect(lines.all.last?.contains("notice Redis works again") == true)
        server.signal(SIGKILL)
        for _ in 0..<30 { #expect(try await make() == false) }
        #expect(fleet.faults[.unavailable] != nil)
    }
}
