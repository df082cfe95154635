import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

@Suite("Transfers that are paused, over real sockets", .timeLimit(.minutes(5)))
struct ResumingTests {
    private let data = LoaderRig.bytes(400_000)
    private let half = 200_000

    /// Returns a transfer that has received exactly half of the first response.
    private func halfWay(_ rig: LoaderRig, _ responses: ScriptedResponse...) async throws -> WatchedTransfer {
        rig.server.respond(to: "/x", with: responses)
        let watched = try WatchedTransfer(rig.server.url("/x"), rig.loader)
        watched.begin()
        await watched.wait(for: half)
        return watched
    }

    private func firstHalf(_ gate: Gate, tag: String = "\"v1\"") -> ScriptedResponse {
        .file(ServedFile(data, tag: tag, gates: [half: gate]))
    }

    @Test func `A pause keeps the connection and applies back-pressure`() async throws {
        let rig = try LoaderRig()
        let gate = Gate()
        let large = LoaderRig.bytes(32 << 20)
        rig.server.respond(to: "/x", with: .file(ServedFile(large, gates: [half: gate])))
        let watched = try WatchedTransfer(rig.server.url("/x"), rig.loader)
        watched.begin()
        await watched.wait(for: half)
        watched.transfer.pause(number: 1)
        gate.open()
        try await eventually { rig.server.stalls.count >= 2 || !rig.server.requests.record.ended.isEmpty }
        #expect(rig.server.requests.record.active == 1 && rig.server.connections.record.active == 1)
        #expect(rig.server.bytesSent < 24 << 20)
        watched.transfer.resume(number: 2)
        #expect(await watched.end() == large)
        #expect(rig.server.requests.count == 1 && rig.server.connections.count == 1)
    }

    @Test func `After a release the rest is loaded by a range, and no byte twice`() async throws {
        let rig = try LoaderRig()
        let (gate, open) = (Gate(), Gate())
        open.open()
        let watched = try await halfWay(rig, firstHalf(gate), firstHalf(open))
        watched.transfer.pause(number: 1)
        watched.transfer.release(number: 2)
        let record = await rig.server.requests.wait { !$0.cancelled.isEmpty }
        #expect(record.calls.count == 1)
        watched.transfer.resume(number: 3)
        #expect(await watched.end() == data)
        let requests = rig.server.requests.calls
        #expect(requests.map { $0.headers["Range"] } == [nil, "bytes=\(half)-"])
        #expect(requests.last?.headers["If-Range"] == "\"v1\"")
        #expect(requests.last?.headers["Accept-Encoding"] == "identity")
        #expect(watched.job.wastedBytes == 0)
    }

    @Test func `A changed body is loaded completely`() async throws {
        let rig = try LoaderRig()
        let other = Data(data.reversed())
        let watched = try await halfWay(rig, firstHalf(Gate()), .file(ServedFile(other, tag: "\"v2\"")))
        watched.transfer.pause(number: 1)
        watched.transfer.release(number: 2)
        watched.transfer.resume(number: 3)
        #expect(await watched.end() == other)
        #expect(rig.server.requests.count == 2 && watched.job.wastedBytes == half)
    }

    @Test(arguments: ["bytes 0-399999/400000", "bytes 199999-399999/400000", "bytes 200000-399999/500000", nil])
    func `A part other than the requested one is discarded, and the body is loaded again (F24)`(range: String?)
        async throws
    {
        let rig = try LoaderRig()
        var lie = ScriptedResponse.body(Data(repeating: 7, count: half), headers: ["ETag": "\"v1\""])
        lie.status = 206
        lie.headers["Content-Range"] = range
        let watched = try await halfWay(rig, firstHalf(Gate()), lie, .file(ServedFile(data)))
        watched.transfer.pause(number: 1)
        watched.transfer.release(number: 2)
        watched.transfer.resume(number: 3)
        #expect(await watched.end() == data)
        #expect(rig.server.requests.calls.map { $0.headers["Range"] } == [nil, "bytes=\(half)-", nil])
    }

    @Test func `A server without the range is asked for the whole body`() async throws {
        let rig = try LoaderRig()
        let refusal = ScriptedResponse.status(416, "Range Not Satisfiable")
        let watched = try await halfWay(rig, firstHalf(Gate()), refusal, .file(ServedFile(data, tag: "\"v2\"")))
        watched.transfer.pause(number: 1)
        watched.transfer.release(number: 2)
        watched.transfer.resume(number: 3)
        #expect(await watched.end() == data)
    }

    @Test(arguments: [true, false])
    func `A connection that is lost during a pause only costs a request`(isReset: Bool) async throws {
        let rig = try LoaderRig()
        let gate = Gate()
        var dying = ScriptedResponse.steps(
            [.bytes(data.prefix(half)), .hold(gate), isReset ? .reset : .cut], framing: .statedLength(data.count))
        dying.headers["ETag"] = "\"v1\""
        let watched = try await halfWay(rig, dying, .file(ServedFile(data)))
        watched.transfer.pause(number: 1)
        gate.open()
        await rig.server.connections.wait { $0.active == 0 }
        watched.transfer.resume(number: 2)
        #expect(await watched.end() == data)
        #expect(rig.server.requests.calls.map { $0.headers["Range"] } == [nil, "bytes=\(half)-"])
    }

    @Test func `Without a validator the connection is kept, and its loss restarts the transfer`() async throws {
        let rig = try LoaderRig()
        let gate = Gate()
        let dying = ScriptedResponse.steps(
            [.bytes(data.prefix(half)), .hold(gate), .cut], framing: .statedLength(data.count))
        let watched = try await halfWay(rig, dying, .body(data))
        watched.transfer.pause(number: 1)
        watched.transfer.release(number: 2)
        #expect(rig.server.connections.record.active == 1)
        gate.open()
        await rig.server.connections.wait { $0.active == 0 }
        watched.transfer.resume(number: 3)
        #expect(await watched.end() == data)
        #expect(rig.server.requests.calls.map { $0.headers["Range"] } == [nil, nil])
        #expect(watched.job.wastedBytes == half)
    }

    @Test func `A priority other than the default is sent`() async throws {
        let rig = try LoaderRig()
        for priority in DataPriority.allCases {
            rig.server.respond(to: "/\(priority)", with: .body(Data(count: 10)))
            var request = DataRequest(url: rig.server.url("/\(priority)"))
            request.priority = priority
            let recorder = Recorder<DataEvent>()
            _ = rig.loader.startLoading(request) { recorder.add($0) }
            await recorder.end()
        }
        let sent = rig.server.requests.calls.map { $0.headers["Priority"] }
        #expect(sent == ["u=6", "u=5", nil, "u=2", "u=1"])
    }
}
