import FirnData
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

/// Tests what happens to a failed transfer.
@Suite struct RetryTests {
    private let lost = DataLoadingError(.connection, "lost")
    private var policy: DataRetryPolicy {
        var policy = DataRetryPolicy()
        policy.jitter = 0
        return policy
    }

    /// Returns a transfer of 100 bytes that was truncated after 40 and requests the rest.
    private func resumed(tag: String? = "\"v\"") throws -> TransferRig {
        let rig = try TransferRig()
        _ = rig.begin(retries: policy)
        rig.connection(1).respond(TransferRig.response(100, tag: tag))
        rig.connection(1).send(TransferRig.bytes(0..<40))
        rig.connection(1).fail(DataLoadingError(.truncated, "cut"))
        rig.transfer.resume(number: 2)
        return rig
    }

    @Test func `A failed transfer waits for the engine, and asks again`() throws {
        let rig = try TransferRig()
        #expect(rig.begin(retries: policy) == "pending")
        rig.connection(1).fail(lost)
        #expect(rig.observer.told == ["waits 0.5 seconds"])
        #expect(rig.connections == 1, "nothing is asked before the engine says so")
        rig.transfer.resume(number: 2)
        #expect(rig.connections == 2)
        rig.connection(2).respond(TransferRig.response(10))
        rig.connection(2).send(TransferRig.bytes(0..<10))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<10))
    }

    @Test func `A body that was cut short goes on from its byte`() throws {
        let rig = try resumed()
        #expect(rig.connection(2).request.headers["Range"] == "bytes=40-")
        rig.connection(2).respond(TransferRig.response(60, status: 206, range: "bytes 40-99/100"))
        rig.connection(2).send(TransferRig.bytes(40..<100))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<100))
        #expect(rig.job.wastedBytes == 0)
    }

    @Test func `Without a validator, the body starts again`() throws {
        let rig = try resumed(tag: nil)
        #expect(rig.connection(2).request.headers["Range"] == nil)
        rig.connection(2).respond(TransferRig.response(10, tag: nil))
        rig.connection(2).send(TransferRig.bytes(0..<10))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<10) && rig.job.wastedBytes == 40)
    }

    @Test func `A busy server does not make a transfer lose what it has`() throws {
        let rig = try resumed()
        rig.connection(2).fail(DataLoadingError(.status(503), "busy", retryAfter: .seconds(7)))
        #expect(rig.observer.told.last == "waits 7.0 seconds")
        rig.transfer.resume(number: 3)
        #expect(rig.connection(3).request.headers["Range"] == "bytes=40-")
    }

    @Test func `After the last try the last failure counts`() throws {
        let rig = try TransferRig()
        _ = rig.begin(retries: policy)
        for number in 1...3 {
            rig.connection(number).fail(lost)
            rig.transfer.resume(number: UInt64(number) + 1)
        }
        #expect(rig.connections == 3)
        #expect(rig.observer.told == ["waits 0.5 seconds", "waits 1.0 seconds", "ended source"])
        #expect(rig.error?.message == "lost")
    }

    @Test func `A resumption that was decided before the failure was known does not end the wait`() throws {
        let rig = try TransferRig()
        _ = rig.begin(retries: policy)
        rig.connection(1).fail(lost)
        rig.transfer.resume(number: 1)
        #expect(rig.connections == 1)
        rig.transfer.resume(number: 2)
        #expect(rig.connections == 2)
    }

    @Test func `Cancelling a waiting transfer ends it`() throws {
        let rig = try TransferRig()
        _ = rig.begin(retries: policy)
        rig.connection(1).fail(lost)
        rig.transfer.cancel()
        #expect(rig.observer.told == ["waits 0.5 seconds", "ended cancelled"])
        rig.transfer.resume(number: 9)
        #expect(rig.connections == 1)
    }

    @Test func `Resumptions that come before the wait is noted are not lost`() {
        var machine = TransferMachine()
        let request = DataRequest(url: "http://a/x")
        machine.begin(limit: 100, priority: .normal)
        _ = machine.nextCall()
        _ = machine.opened(0)
        guard case .waits = machine.end(lost, 0, retrying: policy, random: 0, request) else {
            Issue.record("does not wait")
            return
        }
        machine.resume(number: 6, request)
        #expect(machine.phase == .detached)
        machine.waitNoted(5, request)
        #expect(machine.phase == .due)
    }

    @Test func `A transfer into a file is retried again once it has received another MiB`() {
        var machine = TransferMachine()
        let request = DataRequest(url: TransferRig.url)
        let total = 8 << 20
        machine.begin(into: FilePart(body: nil, count: 0), priority: .normal, request)
        var order: UInt64 = 0
        /// Returns whether the connection that is lost after some bytes is retried.
        func isRetried(after bytes: Int) -> Bool {
            guard case .open(let start, let number)? = machine.nextCall() else { return false }
            _ = machine.opened(number)
            let range = "bytes \(start)-\(total - 1)/\(total)"
            let response =
                start == 0
                ? TransferRig.response(total) : TransferRig.response(total - start, status: 206, range: range)
            #expect(machine.take(response, number, request) == nil)
            _ = machine.take(Data(count: bytes), number)
            #expect(machine.takeChunks().map(\.count) == [bytes])
            guard case .waits = machine.end(lost, number, retrying: policy, random: 0, request) else { return false }
            machine.waitNoted(order, request)
            order += 1
            machine.resume(number: order, request)
            return true
        }
        for _ in 0..<policy.limit { #expect(isRetried(after: 1000)) }
        for _ in 0..<policy.limit { #expect(isRetried(after: TransferMachine.recovery)) }
        for _ in 1..<policy.limit { #expect(isRetried(after: 1000)) }
        #expect(!isRetried(after: 1000))
        #expect(machine.count == policy.limit * (2000 + TransferMachine.recovery))
    }

    @Test func `A transfer into a file pauses while more than 4 MiB wait to be written`() throws {
        var machine = TransferMachine()
        machine.begin(into: FilePart(body: nil, count: 0), priority: .normal, nil)
        guard case .open(_, let number)? = machine.nextCall() else { throw lost }
        _ = machine.opened(number)
        _ = machine.take(Data(count: 4 << 20), number)
        if machine.nextCall() != nil { throw lost }
        _ = machine.take(Data(count: 1), number)
        guard case .pause? = machine.nextCall() else { throw lost }
        machine.called()
        #expect(machine.takeChunks().count == 2)
        guard case .resume? = machine.nextCall() else { throw lost }
        machine.called()
        #expect(machine.count == 4 << 20 | 1)
    }
}
