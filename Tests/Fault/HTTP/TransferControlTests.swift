import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import Testing

@Suite("Cancelling, pausing, many at once", .timeLimit(.minutes(5)))
struct TransferControlTests {
    @Test func `A cancel in the body closes the connection, and the server sees it`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(to: "/x", with: .steps([.bytes(Data(count: 1000)), .stall], framing: .statedLength(2000)))
        let (transfer, recorder) = rig.start("/x")
        await recorder.wait { $0.body.count == 1000 }
        transfer.cancel()
        transfer.cancel()
        let result = await recorder.end()
        #expect(result.error?.cause == .cancelled)
        await rig.server.connections.wait { $0.active == 0 }
        #expect(rig.server.requests.record.cancelled.map(\.path) == ["/x"])
        transfer.cancel()
        transfer.pause()
        transfer.resume()
        #expect(recorder.record.ends == 1 && recorder.record.violations.isEmpty)
    }

    @Test func `A cancel before the response ends the transfer`() async throws {
        let rig = try LoaderRig()
        var response = ScriptedResponse()
        response.beforeHead = [.stall]
        rig.server.respond(to: "/x", with: response)
        let (transfer, recorder) = rig.start("/x")
        await rig.server.requests.wait { $0.calls.count == 1 }
        transfer.cancel()
        #expect(await recorder.end().error?.cause == .cancelled)
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `A cancel during a look-up ends the transfer while the resolver is still busy`() async throws {
        let resolver = SlowResolver()
        let rig = try LoaderRig { $0.resolver = resolver }
        let (first, second) = (Recorder<DataEvent>(), Recorder<DataEvent>())
        let request = DataRequest(url: "http://slow.test:\(rig.server.port)/x")
        rig.server.respond(to: "/x", with: .body(Data(count: 10)))
        let transfer = rig.loader.startLoading(request) { first.add($0) }
        _ = rig.loader.startLoading(request) { second.add($0) }
        for await _ in resolver.questions { break }
        transfer.cancel()
        #expect(await first.end().error?.cause == .cancelled)
        resolver.resolve(with: ["127.0.0.1"])
        #expect(await second.end().body.count == 10)
        #expect(first.record.ends == 1 && rig.server.requests.count == 1)
    }

    @Test func `A cancel from inside an event ends after that event`() async throws {
        let rig = try LoaderRig()
        let recorder = Recorder<DataEvent>()
        let handle = TransferTally()
        let gate = Gate()
        var response = ScriptedResponse.steps([.endless(Data(count: 1000))], framing: .chunked)
        response.beforeHead = [.hold(gate)]
        rig.server.respond(to: "/x", with: response)
        handle.transfer = rig.loader.startLoading(DataRequest(url: rig.server.url("/x"))) { event in
            recorder.add(event)
            if case .chunk = event { handle.transfer?.cancel() }
        }
        gate.open()
        let result = await recorder.end()
        #expect(result.error?.cause == .cancelled && result.violations.isEmpty)
    }

    @Test func `A pause applies back-pressure, and a resume loads the rest`() async throws {
        let total = 64 << 20
        let rig = try LoaderRig { $0.idleTimeout = .seconds(1) }
        let piece = LoaderRig.bytes(1 << 20)
        let gate = Gate()
        var response = ScriptedResponse.steps(Array(repeating: .bytes(piece), count: 64))
        response.beforeHead = [.hold(gate)]
        rig.server.respond(to: "/x", with: response)
        let received = TransferTally()
        let transfer = rig.loader.startLoading(DataRequest(url: rig.server.url("/x"))) { event in
            received.count(event)
            if case .chunk = event, received.pauseOnce() { received.transfer?.pause() }
        }
        received.transfer = transfer
        gate.open()
        // Order: the pause is longer than the idle limit, which must not count while paused.
        try await eventually { rig.server.stalls.count >= 7 || !rig.server.requests.record.ended.isEmpty }
        #expect(rig.server.requests.record.ended.isEmpty)
        #expect(rig.server.bytesSent < 24 << 20)
        #expect(received.ends == 0)
        transfer.resume()
        await received.waitForEnd()
        #expect(received.error == nil)
        #expect(received.bytes == total)
    }

    @Test func `A hundred transfers at once all arrive within the limit of slots over few connections`() async throws {
        let rig = try LoaderRig { $0.transfersPerHost = 5 }
        let bodies = (0..<100).map { LoaderRig.bytes(10_000 + $0 * 100) }
        for (number, body) in bodies.enumerated() { rig.server.respond(to: "/\(number)", with: .body(body)) }
        let recorders = bodies.indices.map { rig.start("/\($0)").1 }
        for (number, recorder) in recorders.enumerated() {
            let result = await recorder.end()
            #expect(result.error == nil && result.body == bodies[number] && result.violations.isEmpty)
        }
        #expect(rig.server.requests.record.peak <= 5)
        #expect(rig.server.connections.count <= 10)
    }

    @Test func `A paused transfer releases its slot`() async throws {
        let rig = try LoaderRig { $0.transfersPerHost = 1 }
        let gate = Gate()
        rig.server.respond(to: "/slow", with: .steps([.bytes(Data(count: 10)), .hold(gate), .bytes(Data(count: 10))]))
        rig.server.respond(to: "/quick", with: .body(Data(count: 5)))
        let (transfer, slow) = rig.start("/slow")
        await slow.wait { $0.body.count == 10 }
        let (_, quick) = rig.start("/quick")
        transfer.pause()
        #expect(await quick.end().body.count == 5)
        transfer.resume()
        gate.open()
        #expect(await slow.end().body.count == 20)
    }

    @Test func `A waiting transfer can be cancelled, paused and resumed`() async throws {
        let rig = try LoaderRig { $0.transfersPerHost = 1 }
        let gate = Gate()
        rig.server.respond(to: "/first", with: .steps([.hold(gate), .bytes(Data(count: 10))]))
        rig.server.respond(to: "/third", with: .body(Data(count: 5)))
        let (_, first) = rig.start("/first")
        await rig.server.requests.wait { $0.calls.count == 1 }
        let (second, cancelled) = rig.start("/second")
        let (third, parked) = rig.start("/third")
        third.pause()
        second.cancel()
        #expect(await cancelled.end().error?.cause == .cancelled)
        gate.open()
        #expect(await first.end().error == nil)
        third.resume()
        #expect(await parked.end().body.count == 5)
        #expect(rig.server.requests.calls.map(\.path) == ["/first", "/third"])
    }

    @Test func `Transfers outlive their loader`() async throws {
        let server = try ScriptedServer()
        let gate = Gate()
        server.respond(to: "/x", with: .steps([.hold(gate), .bytes(Data(count: 10))]))
        let recorder = Recorder<DataEvent>()
        do {
            let loader = DataLoader(configuration: LoaderRig.patient)
            _ = loader.startLoading(DataRequest(url: server.url("/x"))) { recorder.add($0) }
        }
        await server.requests.wait { $0.calls.count == 1 }
        gate.open()
        #expect(await recorder.end().body.count == 10)
        // The idle connection is closed when the last transfer has ended.
        await server.connections.wait { $0.active == 0 }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `A cancel, pause or resume at any time leads to exactly one end`(seed: UInt64) async throws {
        let rig = try LoaderRig { $0.transfersPerHost = 4 }
        var random = Lehmer(seed: seed)
        rig.server.respond(to: "/a", with: .redirect(to: "/b"))
        rig.server.respond(to: "/b", with: .body(LoaderRig.bytes(100_000)))
        rig.server.respond(to: "/c", with: .steps([.bytes(Data(count: 5000)), .cut], framing: .statedLength(9000)))
        var running: [(any DataTransfer, Recorder<DataEvent>)] = []
        for _ in 0..<30 {
            running.append(rig.start(["/a", "/b", "/c", "/missing"][random.next(4)]))
            for _ in 0..<random.next(4) {
                let (transfer, _) = running[random.next(running.count)]
                switch random.next(4) {
                case 0: transfer.cancel()
                case 1: transfer.pause()
                case 2: transfer.resume()
                default: await Task.yield()
                }
            }
        }
        for (transfer, _) in running where random.next(3) == 0 { transfer.cancel() }
        for (transfer, _) in running { transfer.resume() }
        for (_, recorder) in running { await recorder.end() }
        await rig.server.requests.wait { $0.active == 0 }
        for (_, recorder) in running { #expect(recorder.record.violations.isEmpty && recorder.record.ends == 1) }
    }
}

/// A small random number generator that gives the same numbers for the same seed.
private struct Lehmer {
    private var state: UInt64

    init(seed: UInt64) { state = (seed &* 0x9E37_79B9_7F4A_7C15) | 1 }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
