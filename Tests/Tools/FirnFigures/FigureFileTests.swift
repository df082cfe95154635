import FirnFigures
import FoundationEssentials
import Testing

@Suite struct FigureFileTests {
    static let machine = BenchMachine(processor: "A \"fast\" one", cores: 2, kernel: "6.1.0")

    static func run(
        _ figures: [Figure], date: String = "2026-11-22T01:30:05Z", changed: Bool = false, only: [String] = []
    ) -> BenchRun {
        BenchRun(
            commit: "0123abcde", isChanged: changed, date: date, machine: machine, rounds: 5, only: only, seconds: 612,
            figures: figures)
    }

    // MARK: Runs

    @Test func `A stored run is read back unchanged`() throws {
        let run = Self.run(
            [
                Figure(name: "a.b", value: 0.0123, unit: "µs", peer: "Nuke's \"design\"", peerValue: 18, ratio: 0.0007),
                Figure(name: "a.c", value: 0, unit: "", note: "12 Mpx/s, 3 Mpx/s"),
                Figure(name: "d", value: 123_400, unit: "B", peer: "p", peerValue: 0),
            ], changed: true, only: ["a", "d"])
        #expect(try BenchRun(Data(run.text.utf8), path: "x.json") == run)
        #expect(try BenchRun(Data(Self.run([]).text.utf8), path: "x.json") == Self.run([]))
        #expect(run.fileName == "2026-11-22T013005Z-0123abcde+.json")
        // One line for each figure, so that files are easy to read and compare.
        #expect(run.text.split(separator: "\n").count == 8 + 1 + 3 + 2)
    }

    @Test func `Numbers are stored with four digits, and nonfinite ones as null`() throws {
        let run = Self.run([
            Figure(name: "a", value: 1.0 / 3, unit: "ms", peer: "p", peerValue: 200_000.0 / 3),
            Figure(name: "b", value: .infinity, unit: "ms"),
        ])
        let read = try BenchRun(Data(run.text.utf8), path: "x.json")
        try #require(read.figures.count == 2)
        #expect(read.figures[0].value == 0.3333)
        #expect(read.figures[0].peerValue == 66_670)
        #expect(read.figures[0].ratio == 5e-6)
        #expect(read.figures[1].value == .infinity)
    }

    @Test(arguments: [
        ("{", "is no JSON from line 1 on"), ("", "is no JSON from line 1 on"), ("[1]", ""),
        ("{\"format\": 1}", "“commit” is missing"),
        ("{\"format\": 7}", "at format: the form 7; only 1 is known"), ("{\"format\": \"1\"}", "at format: "),
    ])
    func `The error for a damaged run has its file and cause`(_ text: String, _ cause: String) {
        let error = #expect(throws: FigureFileError.self) { _ = try BenchRun(Data(text.utf8), path: "History/a.json") }
        #expect(error?.path == "History/a.json")
        #expect(error?.cause.contains(cause) == true, "\(error?.cause ?? "")")
        #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("History/a.json: "))
    }

    @Test func `The error for a damaged figure has its number`() {
        let text = Self.run([Figure(name: "a", value: 1, unit: ""), Figure(name: "b", value: 2, unit: "")]).text
        let error = #expect(throws: FigureFileError.self) {
            _ = try BenchRun(Data(text.replacing("\"value\":2.0", with: "\"value\":\"2\"").utf8), path: "h.json")
        }
        #expect(error?.cause.hasPrefix("at figures, number 2, value: ") == true, "\(error?.cause ?? "")")
    }

    // MARK: History

    @Test func `The newest value of each figure counts, in any order of the runs`() {
        let old = Self.run(
            [Figure(name: "a.x", value: 1, unit: ""), Figure(name: "b.x", value: 1, unit: "")],
            date: "2026-11-20T00:00:00Z")
        let new = Self.run(
            [Figure(name: "a.y", value: 2, unit: ""), Figure(name: "a.x", value: 2, unit: "")],
            date: "2026-11-21T00:00:00Z",
            only: ["a"])
        for history in [RunHistory([old, new]), RunHistory([new, old])] {
            #expect(history.runs == [old, new])
            #expect(history.newest().map { "\($0.name) \($0.value)" } == ["a.x 2.0", "a.y 2.0", "b.x 1.0"])
            #expect(history.newest { $0 != "b.x" }.map(\.name) == ["a.x", "a.y"])
        }
    }

    // MARK: Thresholds

    @Test func `Stored thresholds are read back unchanged, a line for each`() throws {
        var both = Threshold()
        (both.ratioAtMost, both.valueAtMost, both.ratio, both.value, both.tolerance) = (1.3, 15, 0.68, 14.6, 0.1)
        var speed = Threshold()
        speed.ratioAtLeast = 2
        let thresholds = Thresholds(["disk.read": both, "speed": speed, "bare": Threshold()])
        #expect(try Thresholds(Data(thresholds.text.utf8), path: "t.json") == thresholds)
        #expect(
            thresholds.text == """
                {
                  "bare":      {},
                  "disk.read": {"ratioAtMost": 1.3, "valueAtMost": 15, "ratio": 0.68, "value": 14.6, "tolerance": 0.1},
                  "speed":     {"ratioAtLeast": 2}
                }

                """)
        #expect(try Thresholds(Data(Thresholds().text.utf8), path: "t.json") == Thresholds())
    }

    @Test(arguments: [
        ("{\"a\": {\"ratioAtmost\": 1}}", "at a, ratioAtmost: no such field; there are ratioAtMost, "),
        ("{\"a\": {\"ratio\": \"1\"}}", "at a, ratio: "),
        ("{\"a\": {\"tolerance\": -1}}", "at a: a tolerance below zero"),
        ("{\"a\": {\"ratioAtMost\": 1, \"valueAtLeast\": 1}}", "at a: limits of both sides"),
        ("{\"a\": {}", "is no JSON from line 1 on"),
        ("{\n\"a\": {},\n<<<<<<< HEAD\n\"b\": {}\n}", "is no JSON from line 3 on"),
        ("{}\n}\n", "is no JSON from line 2 on"),
        ("{\n  \"a: {}\n}", "is no JSON from line 2 on"), ("{\"a\": {\"ratio\": 1-}}", "not valid JSON"),
        (String(repeating: "[", count: 99_999), "is no JSON"),
        ("{\"a\": 1}", "at a: "),
    ])
    func `The error for damaged thresholds has its file and cause`(_ text: String, _ cause: String) {
        let error = #expect(throws: FigureFileError.self) {
            _ = try Thresholds(Data(text.utf8), path: "thresholds.json")
        }
        #expect(error?.path == "thresholds.json")
        #expect(error?.cause.contains(cause) == true, "\(error?.cause ?? "")")
    }

    @Test func `The name of a processor is found, or unknown`() {
        #expect(BenchMachine.processor(in: "processor\t: 0\nmodel name\t: Fast  CPU @ 3\n") == "Fast CPU @ 3")
        #expect(BenchMachine.processor(in: "") == "unknown")
        #expect(BenchMachine.processor(in: "model name\nmodel name:\n") == "unknown")
    }
}
