import FirnData
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) struct `A transfer` {
    @Test func `A transfer that ends at once reports nothing`() throws {
        let rig = try TransferRig()
        rig.loader.respond(to: TransferRig.url, with: TransferRig.bytes(0..<200_000), chunkSize: 1000)
        #expect(rig.begin() == "finished" && rig.observer.told == [])
        #expect(rig.product == TransferRig.bytes(0..<200_000))
    }

    @Test func `Events before the start returns are reported after it`() throws {
        let rig = try TransferRig()
        let loader = HastyLoader(events: [
            .response(TransferRig.response(2000)), .chunk(TransferRig.bytes(0..<1000)),
        ])
        #expect(rig.begin(loader: loader) == "pending")
        #expect(rig.observer.told == ["responded", "arrived 1000/2000"])
    }

    @Test(arguments: [300_000, nil])
    func `The table receives the first bytes and then every 64 KiB`(length: Int?) throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(length))
        for piece in 0..<30 {
            rig.connection(1).send(TransferRig.bytes((piece * 10_000)..<(piece * 10_000 + 10_000)))
        }
        rig.connection(1).finish()
        let total = length.map { "\($0)" } ?? "?"
        let arrivals = stride(from: 10_000, to: 300_000, by: 70_000).map { "arrived \($0)/\(total)" }
        #expect(rig.observer.told == ["responded"] + arrivals + ["ended finished"])
        #expect(rig.product == TransferRig.bytes(0..<300_000))
    }

    @Test func `The table receives every 8 KiB of a short body`() throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(50_000))
        for piece in 0..<50 {
            rig.connection(1).send(TransferRig.bytes((piece * 1000)..<(piece * 1000 + 1000)))
        }
        rig.connection(1).finish()
        let arrivals = stride(from: 1000, to: 50_000, by: 9000).map { "arrived \($0)/50000" }
        #expect(rig.observer.told == ["responded"] + arrivals + ["ended finished"])
    }

    @Test func `A progress subscriber receives every chunk`() throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(40))
        rig.connection(1).send(TransferRig.bytes(0..<10))
        let (completed, total) = rig.transfer.watch()
        #expect(completed == 10 && total == 40)
        rig.connection(1).send(TransferRig.bytes(10..<20))
        rig.connection(1).send(TransferRig.bytes(20..<40))
        #expect(rig.observer.told == ["responded", "arrived 10/40", "progress 20", "progress 40"])
    }

    @Test func `A pause reaches the connection, and what it brings afterwards is kept`() throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(40))
        rig.transfer.pause(number: 1)
        #expect(rig.connection(1).isPaused)
        rig.connection(1).send(TransferRig.bytes(0..<40))
        rig.connection(1).finish()
        #expect(rig.product == nil)
        rig.transfer.resume(number: 2)
        #expect(rig.product == TransferRig.bytes(0..<40) && rig.connections == 1)
    }

    /// Returns a transfer of 100 bytes that was paused and lost its connection after `bytes`.
    private func released(_ bytes: Data) throws -> TransferRig {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(100))
        rig.connection(1).send(bytes)
        rig.transfer.pause(number: 1)
        rig.transfer.release(number: 2)
        return rig
    }

    @Test func `A release and a resumption fetch no byte twice`() throws {
        let rig = try released(TransferRig.bytes(0..<60))
        #expect(rig.connection(1).isCancelled && !rig.observer.told.contains { $0.hasPrefix("ended") })
        rig.transfer.resume(number: 3)
        #expect(rig.connections == 2)
        let request = rig.connection(2).request
        #expect(request.headers["Range"] == "bytes=60-" && request.headers["If-Range"] == "\"v\"")
        rig.connection(2).respond(TransferRig.response(40, status: 206, range: "bytes 60-99/100"))
        rig.connection(2).send(TransferRig.bytes(60..<100))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<100) && rig.job.wastedBytes == 0)
        #expect(rig.observer.told.filter { $0.hasPrefix("responded") }.count == 2)
        #expect(rig.observer.told.last == "ended finished")
    }

    @Test(arguments: ["\"v\"", "W/\"v\"", nil])
    func `A release says whether the connection is gone`(tag: String?) throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(100, tag: tag))
        rig.connection(1).send(TransferRig.bytes(0..<60))
        #expect(!rig.transfer.release(number: 1))
        rig.transfer.pause(number: 2)
        let isGone = rig.transfer.release(number: 3)
        #expect(isGone == (tag == "\"v\"") && rig.connection(1).isCancelled == isGone)
    }

    @Test func `A body that changed meanwhile is taken whole`() throws {
        let rig = try released(Data(repeating: 1, count: 60))
        rig.transfer.resume(number: 3)
        rig.connection(2).respond(TransferRig.response(50, tag: "\"w\""))
        rig.connection(2).send(Data(repeating: 2, count: 50))
        rig.connection(2).finish()
        #expect(rig.product == Data(repeating: 2, count: 50) && rig.job.wastedBytes == 60)
        // The table receives a byte count that is lower than before.
        #expect(rig.observer.told.contains("arrived 50/50"))
    }

    @Test func `A rest that lies is cancelled, and all is asked for again`() throws {
        let rig = try released(TransferRig.bytes(0..<60))
        rig.transfer.resume(number: 3)
        rig.connection(2).respond(TransferRig.response(100, status: 206, range: "bytes 0-99/100"))
        #expect(rig.connection(2).isCancelled && rig.connections == 3)
        #expect(rig.connection(3).request.headers["Range"] == nil)
        rig.connection(3).respond(TransferRig.response(100))
        rig.connection(3).send(TransferRig.bytes(0..<100))
        rig.connection(3).finish()
        #expect(rig.product == TransferRig.bytes(0..<100) && rig.job.wastedBytes == 60)
    }

    @Test func `A connection that dies while paused is made up for when the transfer goes on`() throws {
        let rig = try TransferRig()
        #expect(rig.begin() == "pending")
        rig.connection(1).respond(TransferRig.response(100))
        rig.connection(1).send(TransferRig.bytes(0..<60))
        rig.transfer.pause(number: 1)
        rig.connection(1).fail(DataLoadingError(.connection, "gone"))
        #expect(rig.connections == 1)
        rig.transfer.resume(number: 2)
        // The scripted connection reports it only now, as sockets do.
        #expect(rig.connections == 2 && rig.connection(2).request.headers["Range"] == "bytes=60-")
        rig.connection(2).respond(TransferRig.response(40, status: 206, range: "bytes 60-99/100"))
        rig.connection(2).send(TransferRig.bytes(60..<100))
        rig.connection(2).finish()
        #expect(rig.product == TransferRig.bytes(0..<100))
    }

    @Test func `A cancel without a connection ends the transfer`() throws {
        let rig = try released(TransferRig.bytes(0..<60))
        rig.transfer.cancel()
        rig.transfer.cancel()
        rig.transfer.resume(number: 3)
        #expect(rig.observer.told == ["responded", "arrived 60/100", "ended cancelled"])
        #expect(rig.job.wastedBytes == 60 && rig.connections == 1)
    }

    @Test func `Bytes of a cancelled transfer are wasted unless an image was made of them`() throws {
        for isUsed in [false, true] {
            let rig = try TransferRig()
            #expect(rig.begin() == "pending")
            rig.connection(1).respond(TransferRig.response(100))
            rig.connection(1).send(TransferRig.bytes(0..<60))
            if isUsed { rig.transfer.noteUse() }
            rig.transfer.cancel()
            #expect(rig.job.wastedBytes == (isUsed ? 0 : 60) && rig.job.keptBytes == (isUsed ? 60 : 0))
        }
    }

    @Test func `A cancel before the start starts nothing`() throws {
        let rig = try TransferRig()
        rig.transfer.cancel()
        #expect(rig.begin() == "cancelled" && rig.connections == 0)
    }

    @Test func `A body over the limit closes its connection`() throws {
        let rig = try TransferRig()
        #expect(rig.begin(limit: 50) == "pending")
        rig.connection(1).respond(TransferRig.response(nil))
        rig.connection(1).send(TransferRig.bytes(0..<51))
        #expect(rig.connection(1).isCancelled && rig.observer.told == ["responded", "ended limit"])
        let atOnce = try TransferRig()
        atOnce.loader.respond(to: TransferRig.url, with: TransferRig.bytes(0..<51))
        #expect(atOnce.begin(limit: 50) == "limit" && atOnce.observer.told == [])
    }

    @Test func `The loader hears how urgent the transfer is, and becomes`() throws {
        let rig = try TransferRig()
        #expect(rig.begin(level: 1) == "pending")
        #expect(rig.connection(1).request.priority == .low)
        rig.transfer.prioritise(4, number: 2)
        rig.transfer.prioritise(0, number: 1)
        #expect(rig.loader.priorities.calls == [.veryHigh])
    }
}
