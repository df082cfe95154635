import FirnData
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct `What a given-up transfer leaves` {
    private let length = 100_000
    private let half = 60_000
    private let partialBodies = PartialBodyStore(limits: PartialLimits()) { 0 }

    /// Returns a transfer that has begun and waits for its source.
    private func begun(at place: SourceLocation = #_sourceLocation) throws -> TransferRig {
        let rig = try TransferRig()
        #expect(rig.begin(partialBodies: partialBodies) == "pending", sourceLocation: place)
        return rig
    }

    /// Returns a transfer that was cancelled half way.
    private func givenUp(tag: String? = "\"v\"", half: Int = 60_000) throws -> TransferRig {
        let rig = try begun()
        rig.connection(1).respond(TransferRig.response(length, tag: tag))
        rig.connection(1).send(TransferRig.bytes(0..<half))
        rig.transfer.cancel()
        return rig
    }

    private func rest(from: Int) -> DataResponse {
        TransferRig.response(length - from, status: 206, range: "bytes \(from)-\(length - 1)/\(length)")
    }

    @Test func `The next transfer continues there and receives no byte twice`() throws {
        let first = try givenUp()
        #expect(first.connection(1).isCancelled && first.job.wastedBytes == 0 && first.job.keptBytes == 0)
        let rig = try begun()
        #expect(rig.observer.told == ["began \(half)/\(length)"])
        #expect(rig.transfer.watch() == (half, length))
        let request = rig.connection(1).request
        #expect(request.headers["Range"] == "bytes=\(half)-" && request.headers["If-Range"] == "\"v\"")
        rig.connection(1).respond(rest(from: half))
        rig.connection(1).send(TransferRig.bytes(half..<length))
        rig.connection(1).finish()
        #expect(rig.product == TransferRig.bytes(0..<length) && rig.job.wastedBytes == 0)
        #expect(rig.observer.told.contains("responded") && rig.observer.told.last == "ended finished")
        #expect(partialBodies.totals == (0, half))
        // The bytes were handed over: the next transfer starts without any.
        let third = try begun()
        #expect(third.connection(1).request.headers["Range"] == nil)
    }

    @Test func `It can be given up again and again`() throws {
        _ = try givenUp()
        for step in 1...3 {
            let rig = try begun()
            let from = half + (step - 1) * 10_000
            #expect(rig.connection(1).request.headers["Range"] == "bytes=\(from)-")
            rig.connection(1).respond(rest(from: from))
            rig.connection(1).send(TransferRig.bytes(from..<(from + 10_000)))
            rig.transfer.cancel()
            #expect(rig.job.wastedBytes == 0)
        }
        #expect(partialBodies.totals.wasted == 0)
    }

    @Test func `One that is cancelled before its response leaves what it was given`() throws {
        _ = try givenUp()
        let second = try begun()
        second.transfer.cancel()
        let third = try TransferRig()
        third.transfer.cancel()
        #expect(third.begin(partialBodies: partialBodies) == "cancelled" && third.connections == 0)
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == "bytes=\(half)-")
        #expect(partialBodies.totals.wasted == 0)
    }

    @Test func `A body that has changed since replaces it`() throws {
        _ = try givenUp()
        let rig = try begun()
        rig.connection(1).respond(TransferRig.response(50, tag: "\"w\""))
        rig.connection(1).send(Data(repeating: 2, count: 50))
        rig.connection(1).finish()
        #expect(rig.product == Data(repeating: 2, count: 50) && rig.job.wastedBytes == half)
        #expect(rig.observer.told.contains("arrived 50/50"))
    }

    @Test(arguments: ["bytes 0-99999/100000", "bytes 59999-99999/100000", "bytes 60000-99999/100001", nil])
    func `A rest that is not the one asked for is dropped, and all is asked for`(range: String?) throws {
        _ = try givenUp()
        let rig = try begun()
        rig.connection(1).respond(TransferRig.response(nil, status: 206, range: range))
        #expect(rig.connection(1).isCancelled && rig.connections == 2)
        #expect(rig.connection(2).request.headers["Range"] == nil)
        rig.connection(2).respond(TransferRig.response(length))
        rig.connection(2).send(TransferRig.bytes(0..<length))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<length) && rig.job.wastedBytes == half)
    }

    @Test func `A server that does not like the range is asked for all`() throws {
        _ = try givenUp()
        let rig = try begun()
        rig.connection(1).fail(DataLoadingError(.status(416), "no such range"))
        #expect(rig.connections == 2 && rig.connection(2).request.headers["Range"] == nil)
        rig.connection(2).respond(TransferRig.response(length))
        rig.connection(2).send(TransferRig.bytes(0..<length))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<length) && rig.job.wastedBytes == half)
    }

    @Test func `Nothing is requested if all bytes have arrived`() throws {
        _ = try givenUp(half: length)
        let rig = try TransferRig()
        #expect(
            rig.begin(partialBodies: partialBodies) == "finished" && rig.connections == 0 && rig.observer.told == [])
        #expect(rig.product == TransferRig.bytes(0..<length))
    }

    @Test(arguments: ["W/\"v\"", nil])
    func `Nothing is left of what could not be continued`(tag: String?) throws {
        let first = try givenUp(tag: tag)
        #expect(first.job.wastedBytes == half)
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == nil && partialBodies.totals == (0, 0))
    }

    @Test func `Few bytes are not worth it`() throws {
        #expect(try givenUp(half: 16_383).job.wastedBytes == 16_383)
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == nil)
    }

    @Test func `Bytes of which an image was made are not left`() throws {
        let first = try begun()
        first.connection(1).respond(TransferRig.response(length))
        first.connection(1).send(TransferRig.bytes(0..<half))
        first.transfer.noteUse()
        first.transfer.cancel()
        #expect(first.job.keptBytes == half && first.job.wastedBytes == 0)
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == nil)
    }

    @Test func `A lost connection leaves its bytes, but not if it brought nothing new`() throws {
        let first = try begun()
        first.connection(1).respond(TransferRig.response(length))
        first.connection(1).send(TransferRig.bytes(0..<half))
        first.connection(1).fail(DataLoadingError(.connection, "gone"))
        #expect(first.observer.told.last == "ended source" && first.job.wastedBytes == 0)
        let second = try begun()
        #expect(second.connection(1).request.headers["Range"] == "bytes=\(half)-")
        second.connection(1).fail(DataLoadingError(.connection, "gone again"))
        #expect(second.job.wastedBytes == half)
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == nil)
    }

    @Test func `A response that is no image's leaves nothing`() throws {
        let first = try TransferRig()
        #expect(first.begin(limit: 70_000, partialBodies: partialBodies) == "pending")
        first.connection(1).respond(TransferRig.response(nil))
        first.connection(1).send(TransferRig.bytes(0..<half))
        first.connection(1).send(TransferRig.bytes(0..<half))
        #expect(first.observer.told.last == "ended limit" && first.job.wastedBytes == half)
        #expect(partialBodies.take(for: first.job.request) == nil)
    }

    @Test(arguments: [ImageRequest.Options.reloadIgnoringCachedData, .disableDiskCacheReads, .disableCaches])
    func `A request that may read nothing kept drops it`(options: ImageRequest.Options) throws {
        _ = try givenUp()
        let reload = try TransferRig(options: options)
        #expect(reload.begin(partialBodies: partialBodies) == "pending")
        #expect(reload.connection(1).request.headers["Range"] == nil && partialBodies.totals == (half, 0))
        let rig = try begun()
        #expect(rig.connection(1).request.headers["Range"] == nil)
    }

    @Test(arguments: [nil, DataLoadingError(.connection, "gone")])
    func `A cancel between the end and the return of the start leaves no body without bytes`(
        error: DataLoadingError?
    ) throws {
        let first = try TransferRig()
        let loader = DeafLoader()
        loader.onStart = { [length, transfer = first.transfer] in
            loader.say(.response(TransferRig.response(length)))
            loader.say(.chunk(TransferRig.bytes(0..<(error == nil ? length : 60_000))))
            loader.say(.end(error))
            transfer.cancel()
        }
        #expect(first.begin(loader: loader, partialBodies: partialBodies) == (error == nil ? "finished" : "source"))
        let kept = partialBodies.take(for: first.job.request)
        #expect(kept?.count == (error == nil ? nil : half))
        #expect(kept.map { $0.chunks.reduce(0) { $0 + $1.count } } == kept?.count)
    }

    @Test func `Bytes after a cancellation are not kept and count as wasted`() throws {
        let first = try TransferRig()
        let loader = DeafLoader()
        #expect(first.begin(loader: loader, partialBodies: partialBodies) == "pending")
        loader.say(.response(TransferRig.response(length)))
        loader.say(.chunk(TransferRig.bytes(0..<half)))
        first.transfer.cancel()
        loader.say(.chunk(TransferRig.bytes(half..<(half + 1000))))
        loader.say(.end(DataLoadingError(.cancelled, "at last")))
        #expect(first.job.wastedBytes == 1000)
        #expect(partialBodies.take(for: first.job.request)?.count == half)
    }
}
