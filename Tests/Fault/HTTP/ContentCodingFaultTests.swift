import FirnData
import FirnHTTP
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Compressed bodies` {
    private let body = LoaderRig.bytes(200_000)

    private func load(
        _ coded: Data, _ coding: String = "gzip", _ change: (inout DataLoader.Configuration) -> Void = { _ in }
    ) async throws -> Recorder<DataEvent>.Record {
        let rig = try LoaderRig(change)
        rig.server.respond(to: "/x", with: .body(coded, headers: ["Content-Encoding": coding]))
        return await rig.load("/x")
    }

    @Test(arguments: ["gzip", "x-gzip", "GZIP"])
    func `gzip has several names`(coding: String) async throws {
        let result = try await load(GzipWriter.member(body), coding)
        #expect(result.error == nil && result.body == body && result.violations.isEmpty)
        #expect(result.response?.expectedLength == nil)
    }

    @Test func `Several gzip members are one body, however they are split`() async throws {
        let parts = [body.prefix(1), body[1..<70_000], Data(), body[70_000...]].map { GzipWriter.member(Data($0)) }
        let result = try await load(parts.reduce(Data(), +))
        #expect(result.error == nil && result.body == body)
        let rig = try LoaderRig()
        let small = GzipWriter.member(Data("ab".utf8)) + GzipWriter.member(Data("cd".utf8))
        var dripping = ScriptedResponse.steps(
            [.drip(small, pause: .milliseconds(1))], framing: .statedLength(small.count))
        dripping.headers["Content-Encoding"] = "gzip"
        rig.server.respond(to: "/x", with: dripping)
        #expect(await rig.load("/x").body == Data("abcd".utf8))
    }

    @Test(arguments: [[0], [31], [31, 0], [31, 139 ^ 1], Array(repeating: 0, count: 70_000)] as [[UInt8]])
    func `Bytes after the last member are ignored`(garbage: [UInt8]) async throws {
        let result = try await load(GzipWriter.member(body) + Data(garbage))
        #expect(result.error == nil && result.body == body)
    }

    @Test func `deflate is accepted with and without a frame`() async throws {
        #expect(try await load(GzipWriter.zlib(body), "deflate").body == body)
        #expect(try await load(GzipWriter.stored(body), "deflate").body == body)
    }

    @Test func `A body that was coded twice is decoded twice`() async throws {
        let twice = GzipWriter.member(GzipWriter.zlib(body))
        let result = try await load(twice, "deflate, gzip")
        #expect(result.error == nil && result.body == body && result.violations.isEmpty)
        for length in [1, 100_000, twice.count - 1] {
            let cut = try await load(Data(twice.prefix(length)), "deflate, gzip")
            #expect(cut.error?.cause == .truncated && body.starts(with: cut.body), "\(length)")
        }
        let cutInside = GzipWriter.member(GzipWriter.member(body).prefix(9))
        #expect(try await load(cutInside, "gzip, gzip").error?.cause == .truncated)
    }

    @Test func `The output of the first of two decoders counts, too`() async throws {
        // An empty body, followed by 51 MB of zeros, which the second decoder ignores.
        let bomb = GzipWriter.member(GzipWriter.member(Data())) + GzipWriter.zeros(repeats: 200_000)
        let result = try await load(bomb, "gzip, gzip")
        #expect(result.error?.message == "the compressed body becomes more than 100 times as long")
    }

    @Test func `An empty body is empty`() async throws {
        let result = try await load(Data())
        #expect(result.error == nil && result.body.isEmpty)
    }

    @Test func `A truncated compressed body is an error`() async throws {
        let whole = GzipWriter.member(body)
        for length in [1, 5, 11, 100_000, whole.count - 1] {
            let result = try await load(Data(whole.prefix(length)))
            #expect(result.error?.cause == .truncated, "\(length)")
            #expect(body.starts(with: result.body))
        }
    }

    @Test func `An unknown coding is reported by name`() async throws {
        let result = try await load(body, "br")
        #expect(
            result.error
                == DataLoadingError(.other, "the body has the coding \"br\"; up to 2 of gzip and deflate are decoded"))
        #expect(result.response == nil)
        let plain = try await load(body, "br") { $0.decompresses = false }
        #expect(plain.body == body, "whoever passes bodies on gets them as they are")
    }

    @Test func `A body that expands more than a hundredfold is refused after 16 MiB`() async throws {
        let rig = try LoaderRig()
        rig.server.respond(
            to: "/x", with: .body(GzipWriter.zeros(repeats: 200_000), headers: ["Content-Encoding": "gzip"]))
        let tally = TransferTally()
        tally.transfer = rig.loader.startLoading(DataRequest(url: rig.server.url("/x"))) { tally.count($0) }
        await tally.waitForEnd()
        #expect(tally.error?.message == "the compressed body becomes more than 100 times as long")
        #expect(tally.bytes > 15 << 20 && tally.bytes < 26 << 20)
    }

    @Test func `A pause of the receiver stops decompression`() async throws {
        let rig = try LoaderRig { $0.limits.maximumExpansion = 1000 }
        // A ratio of 158: one or two reads of the socket give 8 MB.
        let coded = GzipWriter.zeros(repeats: 31_000)
        let gate = Gate()
        var response = ScriptedResponse.steps(
            [.hold(gate), .bytes(coded), .stall], framing: .statedLength(coded.count + 1))
        response.headers["Content-Encoding"] = "gzip"
        rig.server.respond(to: "/x", with: response)
        let tally = TransferTally()
        let isHolding = Locked(true)
        tally.transfer = rig.loader.startLoading(DataRequest(url: rig.server.url("/x"))) { event in
            if case .chunk = event, isHolding.withLock({ $0 }) { tally.transfer?.pause() }
            tally.count(event)
        }
        // Order: the first chunk arrives after the handle is known, so that no pause is lost.
        gate.open()
        try await eventually { rig.server.bytesSent >= coded.count }
        try await eventually { tally.bytes > 0 }
        // The loader's loop has finished earlier work once it has served another transfer.
        rig.server.respond(to: "/y", with: .body(Data("y".utf8)))
        for _ in 0..<10 { _ = await rig.load("/y") }
        #expect(tally.bytes <= 1 << 20)
        isHolding.withLock { $0 = false }
        tally.transfer?.resume()
        try await eventually { tally.bytes >= 31_000 * 258 + 1 }
        tally.transfer?.cancel()
        await tally.waitForEnd()
        #expect(tally.bytes == 31_000 * 258 + 1)
    }
}
