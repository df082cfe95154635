import FirnData
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite struct `The state machine of a transfer` {
    private let request = DataRequest(url: "http://a/x")

    private func response(_ status: Int = 200, _ headers: HTTPHeaderFields = ["ETag": "\"v\""], length: Int? = 10)
        -> DataResponse
    {
        DataResponse(url: "http://a/x", status: status, headers: headers, expectedLength: length)
    }

    private func rest(from: Int) -> DataResponse {
        response(206, ["ETag": "\"v\"", "Content-Range": "bytes \(from)-9/10"], length: 10 - from)
    }

    /// Returns a state machine with an open connection and received bytes.
    private func open(_ received: Int = 4, headers: HTTPHeaderFields = ["ETag": "\"v\""]) -> TransferMachine {
        var machine = TransferMachine()
        machine.begin(limit: 100, priority: .normal)
        #expect(name(machine.nextCall()) == "open 0")
        #expect(machine.opened(0) == .used)
        #expect(machine.take(response(200, headers), 0, request) == nil)
        if received > 0 { #expect(take(&machine, received, 0) == "grown") }
        return machine
    }

    private func take(_ machine: inout TransferMachine, _ count: Int, _ number: UInt32) -> String {
        switch machine.take(Data(count: count), number) {
        case .none: "none"
        case .grown: "grown"
        case .over(let error): "\(error.cause)"
        }
    }

    private func end(_ machine: inout TransferMachine, _ cause: DataLoadingError.Cause?, _ number: UInt32) -> String {
        switch machine.end(cause.map { DataLoadingError($0, "") }, number, request) {
        case .none: "none"
        case .waits(let time): "waits \(time)"
        case .over(let error): error.map { "\($0.cause)" } ?? "whole"
        }
    }

    private func name(_ call: TransferMachine.Call?) -> String {
        switch call {
        case .open(let from, _): "open \(from)"
        case .some(let call): "\(call)"
        case nil: "none"
        }
    }

    private func cancel(_ machine: inout TransferMachine) -> Bool { machine.cancel() }

    /// Returns the names of the calls that are due.
    private func calls(_ machine: inout TransferMachine) -> [String] {
        var names: [String] = []
        while let call = machine.nextCall() {
            names.append(name(call))
            if case .open(_, let number) = call { _ = machine.opened(number) } else { machine.called() }
        }
        return names
    }

    // MARK: Pausing

    @Test func `A pause and a resumption reach the connection`() {
        var machine = open()
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        #expect(take(&machine, 2, 0) == "grown")
        machine.resume(number: 2, request)
        #expect(calls(&machine) == ["resume"])
        #expect(take(&machine, 4, 0) == "grown")
        #expect(end(&machine, nil, 0) == "whole")
        #expect(machine.count == 10 && machine.phase == .over)
    }

    @Test func `Of orders that overtake each other the later one counts`() {
        var machine = open()
        machine.resume(number: 2, request)
        machine.pause(number: 1)
        #expect(calls(&machine) == [])
        machine.pause(number: 5)
        machine.release(number: 4, request)
        #expect(calls(&machine) == ["pause"])
        machine.resume(number: 7, request)
        machine.release(number: 6, request)
        #expect(calls(&machine) == ["resume"] && machine.phase == .open)
    }

    @Test func `Calls are made one after the other`() {
        var machine = open()
        machine.pause(number: 1)
        #expect(name(machine.nextCall()) == "pause")
        machine.resume(number: 2, request)
        #expect(machine.nextCall() == nil)
        machine.called()
        #expect(name(machine.nextCall()) == "resume")
    }

    @Test func `An order during the opening of the connection waits for it`() {
        var machine = TransferMachine()
        machine.begin(limit: 100, priority: .low)
        #expect(name(machine.nextCall()) == "open 0")
        machine.pause(number: 1)
        machine.prioritise(.high, number: 1)
        #expect(machine.nextCall() == nil)
        #expect(machine.opened(0) == .used)
        #expect(calls(&machine) == ["pause", "prioritise(FirnData.DataPriority.high)"])
    }

    @Test func `A priority that was set before the beginning is what it begins with`() {
        var machine = TransferMachine()
        machine.prioritise(.veryHigh, number: 3)
        machine.begin(limit: 100, priority: .low)
        #expect(machine.priority == .veryHigh)
        #expect(calls(&machine) == ["open 0"])
    }

    // MARK: Closing connections

    @Test func `A connection that is let go of is replaced by a request for the rest`() {
        var machine = open()
        machine.pause(number: 1)
        machine.release(number: 2, request)
        #expect(calls(&machine) == ["close"] && machine.phase == .detached)
        // Events of the old connection are ignored.
        #expect(take(&machine, 3, 0) == "none" && end(&machine, .cancelled, 0) == "none")
        machine.resume(number: 3, request)
        #expect(machine.rest(of: request)?.headers["Range"] == "bytes=4-")
        #expect(calls(&machine) == ["open 4"])
        #expect(machine.take(rest(from: 4), 1, request) == nil)
        #expect(take(&machine, 6, 1) == "grown" && end(&machine, nil, 1) == "whole")
        #expect(machine.count == 10 && machine.wasted == 0 && machine.edition == 0)
        #expect(machine.response?.expectedLength == 10 && machine.response?.status == 200)
    }

    @Test func `One whose rest cannot be asked for keeps its connection`() {
        var machine = open(4, headers: [:])
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        machine.release(number: 2, request)
        #expect(calls(&machine) == [] && machine.phase == .open)
        machine.resume(number: 3, request)
        #expect(calls(&machine) == ["resume"])
    }

    @Test func `One that runs, or has nothing yet, is not let go of`() {
        var running = open()
        running.release(number: 2, request)
        #expect(running.phase == .open)
        var empty = open(0)
        empty.pause(number: 1)
        empty.release(number: 2, request)
        #expect(empty.phase == .open)
    }

    @Test func `A complete response replaces the bytes so far`() {
        var machine = detached()
        #expect(machine.take(response(200, ["ETag": "\"w\""], length: 7), 1, request) == nil)
        #expect(machine.count == 0 && machine.wasted == 4 && machine.edition == 1)
        #expect(take(&machine, 7, 1) == "grown" && end(&machine, nil, 1) == "whole")
    }

    @Test(
        arguments: [
            ["ETag": "\"w\"", "Content-Range": "bytes 4-9/10"], ["ETag": "\"v\"", "Content-Range": "bytes 3-9/10"],
            ["ETag": "\"v\"", "Content-Range": "bytes 4-10/11"], ["ETag": "\"v\""], ["Content-Range": "bytes 4-9/10"],
        ] as [HTTPHeaderFields])
    func `A rest that is not the right one is dropped, and all is asked for`(headers: HTTPHeaderFields) {
        var machine = detached()
        #expect(machine.take(response(206, headers, length: 6), 1, request) == nil)
        #expect(take(&machine, 6, 1) == "none")
        #expect(calls(&machine) == ["close", "open 0"])
        #expect(machine.count == 0 && machine.wasted == 4 && machine.edition == 1)
        #expect(end(&machine, .cancelled, 1) == "none")
        #expect(machine.take(response(), 2, request) == nil)
        #expect(take(&machine, 10, 2) == "grown" && end(&machine, nil, 2) == "whole")
    }

    @Test(arguments: [416, 412, 403, 500])
    func `A server that refuses the range is asked for all, once`(status: Int) {
        var machine = detached()
        #expect(end(&machine, .status(status), 1) == "none")
        #expect(calls(&machine) == ["open 0"] && machine.wasted == 4)
        #expect(end(&machine, .status(status), 2) == "status(\(status))")
    }

    @Test func `A rest that is cut short is an error`() {
        var machine = detached()
        #expect(machine.take(rest(from: 4), 1, request) == nil)
        #expect(take(&machine, 5, 1) == "grown" && end(&machine, nil, 1) == "truncated")
    }

    private func detached() -> TransferMachine {
        var machine = open()
        machine.pause(number: 1)
        machine.release(number: 2, request)
        machine.resume(number: 3, request)
        #expect(calls(&machine) == ["close", "open 4"])
        return machine
    }

    // MARK: Connections that die

    @Test(arguments: [.connection, .timeout, .truncated, .other, nil] as [DataLoadingError.Cause?])
    func `A connection that dies while paused is no failure`(cause: DataLoadingError.Cause?) {
        var machine = open()
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        #expect(end(&machine, cause, 0) == "none" && machine.phase == .detached)
        #expect(calls(&machine) == [])
        machine.resume(number: 2, request)
        #expect(calls(&machine) == ["open 4"])
    }

    @Test func `One whose death is seen only after the pause goes on as well, but once`() {
        var machine = open()
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        machine.resume(number: 2, request)
        #expect(calls(&machine) == ["resume"])
        #expect(end(&machine, .truncated, 0) == "none")
        #expect(calls(&machine) == ["open 4"])
        #expect(machine.take(rest(from: 4), 1, request) == nil)
        #expect(end(&machine, .truncated, 1) == "truncated")
    }

    @Test func `Without a validator, the body starts again`() {
        var machine = open(4, headers: [:])
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        #expect(end(&machine, .timeout, 0) == "none")
        machine.resume(number: 2, request)
        #expect(calls(&machine) == ["open 0"])
        #expect(machine.wasted == 4 && machine.edition == 1 && machine.count == 0)
    }

    @Test func `One that had all its bytes is whole`() {
        var machine = open(10)
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        #expect(end(&machine, .connection, 0) == "whole")
    }

    @Test(
        arguments: [.status(500), .badAddress, .redirect, .tooLarge(limit: 5), .cancelled] as [DataLoadingError.Cause])
    func `What is no loss of a connection fails, paused or not`(cause: DataLoadingError.Cause) {
        var machine = open()
        machine.pause(number: 1)
        #expect(calls(&machine) == ["pause"])
        #expect(end(&machine, cause, 0) == "\(cause)" && machine.phase == .over)
    }

    @Test func `A connection that was never paused and dies is a failure`() {
        var machine = open()
        #expect(end(&machine, .connection, 0) == "connection" && machine.phase == .over)
    }

    // MARK: Cancelling and limits

    @Test func `A cancel ends the connection, and its end ends the transfer`() {
        var machine = open()
        #expect(!cancel(&machine))
        #expect(calls(&machine) == ["cancel"])
        #expect(end(&machine, .cancelled, 0) == "cancelled")
        #expect(!cancel(&machine) && calls(&machine) == [])
    }

    @Test func `A cancel without a connection ends the transfer at once`() {
        var machine = open()
        machine.pause(number: 1)
        machine.release(number: 2, request)
        #expect(cancel(&machine) && machine.phase == .over)
        #expect(calls(&machine) == ["close"])
        machine.resume(number: 3, request)
        #expect(calls(&machine) == [])
    }

    @Test func `A cancelled one whose body is whole all the same is cancelled`() {
        var machine = open(10)
        #expect(!cancel(&machine))
        #expect(end(&machine, nil, 0) == "cancelled")
    }

    @Test func `More than the limit ends the transfer and closes the connection`() {
        var announced = TransferMachine()
        announced.begin(limit: 9, priority: .normal)
        _ = calls(&announced)
        #expect(announced.take(response(), 0, request)?.cause == .tooLarge(limit: 9))
        #expect(calls(&announced) == ["close"] && announced.phase == .over)
        var unannounced = TransferMachine()
        unannounced.begin(limit: 9, priority: .normal)
        _ = calls(&unannounced)
        #expect(unannounced.take(response(length: nil), 0, request) == nil)
        #expect(take(&unannounced, 9, 0) == "grown")
        #expect(take(&unannounced, 1, 0) == "tooLarge(limit: 9)")
        #expect(take(&unannounced, 1, 0) == "none" && end(&unannounced, nil, 0) == "none")
    }

    @Test func `A connection that is no longer needed when it opens is closed`() {
        var machine = TransferMachine()
        machine.begin(limit: 9, priority: .normal)
        #expect(name(machine.nextCall()) == "open 0")
        #expect(machine.take(response(), 0, request) != nil)
        #expect(machine.opened(0) == .useless)
        var ended = TransferMachine()
        ended.begin(limit: 9, priority: .normal)
        #expect(name(ended.nextCall()) == "open 0")
        #expect(end(&ended, .connection, 0) == "connection")
        #expect(ended.opened(0) == .over)
    }
}
