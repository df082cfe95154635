import FirnData
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite struct `The course of a transfer` {
    private let request = DataRequest(url: "http://a/x")

    private func answer(_ status: Int = 200, _ headers: HTTPHeaderFields = ["ETag": "\"v\""], length: Int? = 10)
        -> DataResponse
    {
        DataResponse(url: "http://a/x", status: status, headers: headers, expectedLength: length)
    }

    private func rest(from: Int) -> DataResponse {
        answer(206, ["ETag": "\"v\"", "Content-Range": "bytes \(from)-9/10"], length: 10 - from)
    }

    /// Returns a course with an open connection and received bytes.
    private func open(_ received: Int = 4, headers: HTTPHeaderFields = ["ETag": "\"v\""]) -> TransferCourse {
        var course = TransferCourse()
        course.begin(limit: 100, priority: .normal)
        #expect(name(course.nextCall()) == "open 0")
        #expect(course.opened(0) == .used)
        #expect(course.take(answer(200, headers), 0, request) == nil)
        if received > 0 { #expect(take(&course, received, 0) == "grown") }
        return course
    }

    private func take(_ course: inout TransferCourse, _ count: Int, _ number: UInt32) -> String {
        switch course.take(Data(count: count), number) {
        case .none: "none"
        case .grown: "grown"
        case .over(let error): "\(error.cause)"
        }
    }

    private func end(_ course: inout TransferCourse, _ cause: DataLoadingError.Cause?, _ number: UInt32) -> String {
        switch course.end(cause.map { DataLoadingError($0, "") }, number, request) {
        case .none: "none"
        case .waits(let time): "waits \(time)"
        case .over(let error): error.map { "\($0.cause)" } ?? "whole"
        }
    }

    private func name(_ call: TransferCourse.Call?) -> String {
        switch call {
        case .open(let from, _): "open \(from)"
        case .some(let call): "\(call)"
        case nil: "none"
        }
    }

    private func cancel(_ course: inout TransferCourse) -> Bool { course.cancel() }

    /// Returns the names of the calls that are due.
    private func calls(_ course: inout TransferCourse) -> [String] {
        var names: [String] = []
        while let call = course.nextCall() {
            names.append(name(call))
            if case .open(_, let number) = call { _ = course.opened(number) } else { course.called() }
        }
        return names
    }

    // MARK: Pausing

    @Test func `A pause and a resumption are told to the connection`() {
        var course = open()
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        #expect(take(&course, 2, 0) == "grown")
        course.resume(number: 2, request)
        #expect(calls(&course) == ["resume"])
        #expect(take(&course, 4, 0) == "grown")
        #expect(end(&course, nil, 0) == "whole")
        #expect(course.count == 10 && course.phase == .over)
    }

    @Test func `Of orders that overtake each other the later one counts`() {
        var course = open()
        course.resume(number: 2, request)
        course.pause(number: 1)
        #expect(calls(&course) == [])
        course.pause(number: 5)
        course.release(number: 4, request)
        #expect(calls(&course) == ["pause"])
        course.resume(number: 7, request)
        course.release(number: 6, request)
        #expect(calls(&course) == ["resume"] && course.phase == .open)
    }

    @Test func `Calls are made one after the other`() {
        var course = open()
        course.pause(number: 1)
        #expect(name(course.nextCall()) == "pause")
        course.resume(number: 2, request)
        #expect(course.nextCall() == nil)
        course.called()
        #expect(name(course.nextCall()) == "resume")
    }

    @Test func `An order that comes while the connection is being opened waits for it`() {
        var course = TransferCourse()
        course.begin(limit: 100, priority: .low)
        #expect(name(course.nextCall()) == "open 0")
        course.pause(number: 1)
        course.prioritise(.high, number: 1)
        #expect(course.nextCall() == nil)
        #expect(course.opened(0) == .used)
        #expect(calls(&course) == ["pause", "prioritise(FirnData.DataPriority.high)"])
    }

    @Test func `A priority that was set before the beginning is what it begins with`() {
        var course = TransferCourse()
        course.prioritise(.veryHigh, number: 3)
        course.begin(limit: 100, priority: .low)
        #expect(course.priority == .veryHigh)
        #expect(calls(&course) == ["open 0"])
    }

    // MARK: Closing connections

    @Test func `A connection that is let go of is replaced by a request for the rest`() {
        var course = open()
        course.pause(number: 1)
        course.release(number: 2, request)
        #expect(calls(&course) == ["close"] && course.phase == .detached)
        // Events of the old connection are ignored.
        #expect(take(&course, 3, 0) == "none" && end(&course, .cancelled, 0) == "none")
        course.resume(number: 3, request)
        #expect(course.rest(of: request)?.headers["Range"] == "bytes=4-")
        #expect(calls(&course) == ["open 4"])
        #expect(course.take(rest(from: 4), 1, request) == nil)
        #expect(take(&course, 6, 1) == "grown" && end(&course, nil, 1) == "whole")
        #expect(course.count == 10 && course.wasted == 0 && course.edition == 0)
        #expect(course.response?.expectedLength == 10 && course.response?.status == 200)
    }

    @Test func `One whose rest cannot be asked for keeps its connection`() {
        var course = open(4, headers: [:])
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        course.release(number: 2, request)
        #expect(calls(&course) == [] && course.phase == .open)
        course.resume(number: 3, request)
        #expect(calls(&course) == ["resume"])
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

    @Test func `A whole answer replaces what there was`() {
        var course = detached()
        #expect(course.take(answer(200, ["ETag": "\"w\""], length: 7), 1, request) == nil)
        #expect(course.count == 0 && course.wasted == 4 && course.edition == 1)
        #expect(take(&course, 7, 1) == "grown" && end(&course, nil, 1) == "whole")
    }

    @Test(
        arguments: [
            ["ETag": "\"w\"", "Content-Range": "bytes 4-9/10"], ["ETag": "\"v\"", "Content-Range": "bytes 3-9/10"],
            ["ETag": "\"v\"", "Content-Range": "bytes 4-10/11"], ["ETag": "\"v\""], ["Content-Range": "bytes 4-9/10"],
        ] as [HTTPHeaderFields])
    func `A rest that is not the right one is dropped, and all is asked for`(headers: HTTPHeaderFields) {
        var course = detached()
        #expect(course.take(answer(206, headers, length: 6), 1, request) == nil)
        #expect(take(&course, 6, 1) == "none")
        #expect(calls(&course) == ["close", "open 0"])
        #expect(course.count == 0 && course.wasted == 4 && course.edition == 1)
        #expect(end(&course, .cancelled, 1) == "none")
        #expect(course.take(answer(), 2, request) == nil)
        #expect(take(&course, 10, 2) == "grown" && end(&course, nil, 2) == "whole")
    }

    @Test(arguments: [416, 412, 403, 500])
    func `A server that refuses the range is asked for all, once`(status: Int) {
        var course = detached()
        #expect(end(&course, .status(status), 1) == "none")
        #expect(calls(&course) == ["open 0"] && course.wasted == 4)
        #expect(end(&course, .status(status), 2) == "status(\(status))")
    }

    @Test func `A rest that is cut short is an error`() {
        var course = detached()
        #expect(course.take(rest(from: 4), 1, request) == nil)
        #expect(take(&course, 5, 1) == "grown" && end(&course, nil, 1) == "truncated")
    }

    private func detached() -> TransferCourse {
        var course = open()
        course.pause(number: 1)
        course.release(number: 2, request)
        course.resume(number: 3, request)
        #expect(calls(&course) == ["close", "open 4"])
        return course
    }

    // MARK: Connections that die

    @Test(arguments: [.connection, .timeout, .truncated, .other, nil] as [DataLoadingError.Cause?])
    func `A connection that dies while paused is no failure`(cause: DataLoadingError.Cause?) {
        var course = open()
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        #expect(end(&course, cause, 0) == "none" && course.phase == .detached)
        #expect(calls(&course) == [])
        course.resume(number: 2, request)
        #expect(calls(&course) == ["open 4"])
    }

    @Test func `One whose death is seen only after the pause goes on as well, but once`() {
        var course = open()
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        course.resume(number: 2, request)
        #expect(calls(&course) == ["resume"])
        #expect(end(&course, .truncated, 0) == "none")
        #expect(calls(&course) == ["open 4"])
        #expect(course.take(rest(from: 4), 1, request) == nil)
        #expect(end(&course, .truncated, 1) == "truncated")
    }

    @Test func `Without a validator it begins anew`() {
        var course = open(4, headers: [:])
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        #expect(end(&course, .timeout, 0) == "none")
        course.resume(number: 2, request)
        #expect(calls(&course) == ["open 0"])
        #expect(course.wasted == 4 && course.edition == 1 && course.count == 0)
    }

    @Test func `One that had all its bytes is whole`() {
        var course = open(10)
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        #expect(end(&course, .connection, 0) == "whole")
    }

    @Test(
        arguments: [.status(500), .badAddress, .redirect, .tooLarge(limit: 5), .cancelled] as [DataLoadingError.Cause])
    func `What is no loss of a connection fails, paused or not`(cause: DataLoadingError.Cause) {
        var course = open()
        course.pause(number: 1)
        #expect(calls(&course) == ["pause"])
        #expect(end(&course, cause, 0) == "\(cause)" && course.phase == .over)
    }

    @Test func `A connection that was never paused and dies is a failure`() {
        var course = open()
        #expect(end(&course, .connection, 0) == "connection" && course.phase == .over)
    }

    // MARK: Cancelling and limits

    @Test func `A cancel ends the connection, and its end ends the transfer`() {
        var course = open()
        #expect(!cancel(&course))
        #expect(calls(&course) == ["cancel"])
        #expect(end(&course, .cancelled, 0) == "cancelled")
        #expect(!cancel(&course) && calls(&course) == [])
    }

    @Test func `A cancel without a connection ends the transfer at once`() {
        var course = open()
        course.pause(number: 1)
        course.release(number: 2, request)
        #expect(cancel(&course) && course.phase == .over)
        #expect(calls(&course) == ["close"])
        course.resume(number: 3, request)
        #expect(calls(&course) == [])
    }

    @Test func `A cancelled one whose body is whole all the same is cancelled`() {
        var course = open(10)
        #expect(!cancel(&course))
        #expect(end(&course, nil, 0) == "cancelled")
    }

    @Test func `More than the limit ends the transfer and closes the connection`() {
        var announced = TransferCourse()
        announced.begin(limit: 9, priority: .normal)
        _ = calls(&announced)
        #expect(announced.take(answer(), 0, request)?.cause == .tooLarge(limit: 9))
        #expect(calls(&announced) == ["close"] && announced.phase == .over)
        var unannounced = TransferCourse()
        unannounced.begin(limit: 9, priority: .normal)
        _ = calls(&unannounced)
        #expect(unannounced.take(answer(length: nil), 0, request) == nil)
        #expect(take(&unannounced, 9, 0) == "grown")
        #expect(take(&unannounced, 1, 0) == "tooLarge(limit: 9)")
        #expect(take(&unannounced, 1, 0) == "none" && end(&unannounced, nil, 0) == "none")
    }

    @Test func `A connection that is of no use any more when it is there is let go of`() {
        var course = TransferCourse()
        course.begin(limit: 9, priority: .normal)
        #expect(name(course.nextCall()) == "open 0")
        #expect(course.take(answer(), 0, request) != nil)
        #expect(course.opened(0) == .useless)
        var ended = TransferCourse()
        ended.begin(limit: 9, priority: .normal)
        #expect(name(ended.nextCall()) == "open 0")
        #expect(end(&ended, .connection, 0) == "connection")
        #expect(ended.opened(0) == .over)
    }
}
