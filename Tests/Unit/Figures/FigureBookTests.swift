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
        places.documentation = "\(folder)/Documentation"
        return places
    }

    @Test func `A run is kept, accepted, drawn, and found by the next`() throws {
        #expect(throws: FigureFileError.self) { _ = try FigureBook(places) }
        var book = try FigureBook(places, mayBegin: true)
        let run = FigureFileTests.run([Figure(name: "disk.read", value: 1, unit: "µs", peer: "stat", peerValue: 2)])
        let file = try book.keep(run)
        #expect(file == "\(folder)/History/2026-11-22T013005Z-0123abcde.json")
        #expect(try book.draw(forPages: false).count == 3)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/Documentation"))
        try book.accept(run.figures)
        #expect(try book.draw(forPages: true).count == 6)
        #expect(
            try Data(contentsOf: URL(filePath: "\(folder)/out/figures.svg"))
                == Data(contentsOf: URL(filePath: "\(folder)/Documentation/figures.svg")))

        let next = try FigureBook(places)
        #expect(next.history == RunHistory([run]))
        #expect(next.thresholds["disk.read"]?.ratio == 0.5)
        #expect(try FigureBook.history(file) == RunHistory([run]))
        #expect(Comparison(run.figures, with: next.thresholds).moves.isEmpty)
    }

    @Test func `One damaged file of the history is named`() throws {
        var book = try FigureBook(places, mayBegin: true)
        try book.accept([])
        _ = try book.keep(FigureFileTests.run([]))
        try Data("{\"format\"".utf8).write(to: URL(filePath: "\(folder)/History/cut.json"))
        let error = #expect(throws: FigureFileError.self) { _ = try FigureBook(places) }
        #expect(error?.path == "\(folder)/History/cut.json")
        #expect(error?.cause.hasPrefix("is no JSON from line 1") == true)
    }

    @Test func `A run that cannot be kept says where`() throws {
        var book = try FigureBook(places, mayBegin: true)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(folder)/History"))
        let error = #expect(throws: FigureFileError.self) { _ = try book.keep(FigureFileTests.run([])) }
        #expect(error?.path.hasPrefix("\(folder)/History/") == true)
        #expect(book.history.runs.isEmpty)
    }
}
