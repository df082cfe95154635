import FirnFigures
import FoundationEssentials
import Testing

/// Tests the files of the bench in a temporary folder.
@Suite final class FigureBookTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "firn-figures-\(UUID().uuidString)")
        .path

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var places: FigureBook.Places {
        var places = FigureBook.Places()
        places.thresholds = "\(folder)/thresholds.json"
        places.history = "\(folder)/History"
        places.output = "\(folder)/out"
        places.accepted = "\(folder)/accepted.json"
        return places
    }

    @Test func `A run is stored, accepted, drawn, and read again`() throws {
        #expect(throws: FigureFileError.self) { _ = try FigureBook(places) }
        var book = try FigureBook(places, mayBegin: true)
        let run = FigureFileTests.run([Figure(name: "disk.read", value: 1, unit: "µs", peer: "stat", peerValue: 2)])
        let file = try book.keep(run)
        #expect(file == "\(folder)/History/2026-11-22T013005Z-0123abcde.json")
        #expect(try book.draw() == ["\(folder)/out/figures.svg", "\(folder)/out/requests.svg"])
        #expect(!FileManager.default.fileExists(atPath: places.accepted))
        try book.accept(run.figures)
        #expect(try FigureBook.history(places.accepted) == RunHistory([run]))

        try FileManager.default.removeItem(atPath: places.accepted)
        let next = try FigureBook(places)
        #expect(next.history == RunHistory([run]))
        #expect(next.thresholds["disk.read"]?.ratio == 0.5)
        #expect(try FigureBook.history(file) == RunHistory([run]))
        #expect(Comparison(run.figures, with: next.thresholds).moves.isEmpty)
    }

    @Test func `The accepted run has the newest value of every figure and is read without a history`() throws {
        var book = try FigureBook(places, mayBegin: true)
        let (first, second) = (Figure(name: "a.b", value: 1, unit: "s"), Figure(name: "a.c", value: 2, unit: "s"))
        let later = Figure(name: "a.c", value: 3, unit: "s")
        try book.accept([first, second])
        _ = try book.keep(FigureFileTests.run([first, second], date: "2026-11-20T00:00:00Z"))
        _ = try book.keep(FigureFileTests.run([later], date: "2026-11-21T00:00:00Z"))
        try book.accept([later])
        try FileManager.default.removeItem(atPath: places.history)
        let next = try FigureBook(places)
        #expect(next.history.runs.count == 1)
        #expect(next.history.newest() == [first, later])
    }

    @Test func `A damaged file of the history is reported with its path`() throws {
        var book = try FigureBook(places, mayBegin: true)
        try book.accept([])
        _ = try book.keep(FigureFileTests.run([]))
        try Data("{\"format\"".utf8).write(to: URL(filePath: "\(folder)/History/cut.json"))
        let error = #expect(throws: FigureFileError.self) { _ = try FigureBook(places) }
        #expect(error?.path == "\(folder)/History/cut.json")
        #expect(error?.cause.hasPrefix("is no JSON from line 1") == true)
    }

    @Test func `A run that cannot be stored is reported with its path`() throws {
        var book = try FigureBook(places, mayBegin: true)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(folder)/History"))
        let error = #expect(throws: FigureFileError.self) { _ = try book.keep(FigureFileTests.run([])) }
        #expect(error?.path.hasPrefix("\(folder)/History/") == true)
        #expect(book.history.runs.isEmpty)
    }
}
