import FirnFigures
import Testing

@Suite struct ComparisonTests {
    private func figure(_ name: String, _ value: Double, of peer: Double? = nil) -> Figure {
        Figure(name: name, value: value, unit: "ms", peer: peer.map { _ in "peer" }, peerValue: peer)
    }

    private func threshold(
        ratioAtMost: Double? = nil, valueAtMost: Double? = nil, ratio: Double? = nil, value: Double? = nil,
        tolerance: Double? = 0.1
    ) -> Threshold {
        var threshold = Threshold()
        threshold.ratioAtMost = ratioAtMost
        threshold.valueAtMost = valueAtMost
        threshold.ratio = ratio
        threshold.value = value
        threshold.tolerance = tolerance
        return threshold
    }

    @Test(arguments: [(0.9, 0), (0.96, 0), (1.04, 0), (1.12, 1), (0.85, -1)])
    func `Only a change beyond the tolerance is a move`(_ value: Double, _ direction: Int) {
        // The ratio is accepted: changes of the machine's speed do not affect it.
        let thresholds = Thresholds(["a": threshold(ratio: 0.5, value: 77)])
        let comparison = Comparison([figure("a", value, of: 1.92)], with: thresholds)
        #expect(comparison.moves.map { $0.isBetter ? -1 : 1 } == (direction == 0 ? [] : [direction]))
        #expect(comparison.isWorse == (direction > 0))
        #expect(comparison.crossings.isEmpty && comparison.new.isEmpty && comparison.absent.isEmpty)
    }

    @Test func `Half and double are equal moves`() {
        let thresholds = Thresholds([
            "a": threshold(ratio: 1, tolerance: 0.9), "b": threshold(ratio: 1, tolerance: 0.9),
        ])
        let comparison = Comparison([figure("a", 2, of: 1), figure("b", 1, of: 2)], with: thresholds)
        #expect(comparison.moves.map(\.name) == ["a", "b"])
        #expect(comparison.moves.map(\.isBetter) == [false, true])
    }

    @Test func `A limit can be newly met or missed, and is noise if the figure did not move`() {
        let thresholds = Thresholds([
            "missed": threshold(ratioAtMost: 1, ratio: 0.5), "met": threshold(ratioAtMost: 1, ratio: 2),
            "near": threshold(ratioAtMost: 1, ratio: 0.99), "still": threshold(ratioAtMost: 1, ratio: 3),
        ])
        let figures = [
            figure("missed", 1.5, of: 1), figure("met", 0.5, of: 1), figure("near", 1.01, of: 1),
            figure("still", 3, of: 1),
        ]
        let comparison = Comparison(figures, with: thresholds)
        #expect(comparison.crossings.map(\.name) == ["missed", "met", "near"])
        #expect(comparison.crossings.map(\.isMet) == [false, true, false])
        #expect(comparison.crossings.map(\.isNoise) == [false, false, true])
        #expect(comparison.asked == 4 && comparison.missed == 3)
        #expect(comparison.text.contains("newly missed  missed  1.5 ×, 1.5 ms, asked ≤ 1 ×\n"))
        #expect(comparison.text.contains("limits: 1 of 4 met"))
    }

    @Test func `A figure whose accepted value is zero moves with any other value`() {
        let thresholds = Thresholds(["wrong": threshold(valueAtMost: 0, value: 0)])
        #expect(!Comparison([figure("wrong", 0)], with: thresholds).isWorse)
        let comparison = Comparison([figure("wrong", 1)], with: thresholds)
        #expect(comparison.moves.map(\.now) == [1])
        #expect(comparison.crossings.map(\.isMet) == [false])
        #expect(comparison.text.contains("(from nothing, by itself 10 %)"))
    }

    @Test func `New figures, and figures with a threshold that were not measured, are listed`() {
        let thresholds = Thresholds([
            "limited": threshold(ratioAtMost: 1), "disk.read": threshold(ratio: 1),
            "http.requests": threshold(ratio: 1),
        ])
        let comparison = Comparison([figure("new", 1), figure("limited", 2, of: 1)], with: thresholds) {
            !$0.hasPrefix("http")
        }
        #expect(comparison.new == ["new", "limited"])
        #expect(comparison.absent == ["disk.read"])
        #expect(comparison.missed == 1)
        #expect(!comparison.isWorse)
        #expect(comparison.text.contains("new, not accepted yet: 2\n  new limited"))
    }

    @Test func `More is better for a figure whose limit is a minimum`() {
        var threshold = Threshold()
        threshold.ratioAtLeast = 1.3
        threshold.ratio = 1.5
        let thresholds = Thresholds(["speed": threshold])
        #expect(Comparison([figure("speed", 3, of: 1)], with: thresholds).moves.map(\.isBetter) == [true])
        let worse = Comparison([figure("speed", 1, of: 1)], with: thresholds)
        #expect(worse.moves.map(\.isBetter) == [false])
        #expect(worse.crossings.map(\.isMet) == [false])
    }

    @Test func `A ratio to zero meets no limit, and zero against zero meets it`() {
        let threshold = threshold(ratioAtMost: 1.01)
        #expect(figure("a", 1, of: 0).ratio == nil)
        #expect(!threshold.isMet(by: figure("a", 1, of: 0)))
        #expect(threshold.isMet(by: figure("a", 0, of: 0)))
        #expect(!threshold.isMet(by: Figure(name: "a", value: 1, unit: "", peer: "b", peerValue: 1, ratio: .nan)))
        #expect(!self.threshold(valueAtMost: 1).isMet(by: figure("a", .infinity)))
        #expect(!self.threshold(valueAtMost: 1).isMet(by: figure("a", .nan)))
    }

    @Test func `Accepting keeps limits, tolerances and unmeasured figures`() {
        var thresholds = Thresholds([
            "a": threshold(ratioAtMost: 1, ratio: 0.5, value: 3, tolerance: 0.3), "b": threshold(ratio: 2),
        ])
        thresholds.accept([figure("a", 0.123456, of: 1), figure("c", 7)])
        #expect(thresholds["a"] == threshold(ratioAtMost: 1, ratio: 0.1235, value: 0.1235, tolerance: 0.3))
        #expect(thresholds["b"] == threshold(ratio: 2))
        #expect(thresholds["c"] == threshold(value: 7, tolerance: Threshold.defaultTolerance))
        #expect(thresholds.names == ["a", "b", "c"])
        #expect(Comparison([figure("a", 0.123456, of: 1), figure("c", 7)], with: thresholds).moves.isEmpty)
    }

    @Test(arguments: [
        (0.001234, "0.00123"), (0.27, "0.27"), (12.34, "12.3"), (4229, "4229"), (0, "0"), (0.99951, "0.99951"),
        (0.9899, "0.99"), (1.0004, "1"), (-0.27, "-0.27"), (.infinity, "none"), (.nan, "none"),
    ])
    func `Numbers are short, and exact just below 1`(_ value: Double, _ text: String) {
        #expect(NumberText.short(value) == text)
    }

    @Test func `The table shows each limit and whether it is met`() {
        let thresholds = Thresholds([
            "a": threshold(ratioAtMost: 1.3, valueAtMost: 15), "b": threshold(valueAtMost: 1), "c": threshold(ratio: 1),
        ])
        let text = FigureTable.text(
            [figure("a", 10, of: 20), figure("b", 2), figure("c", 3, of: 3), figure("d", 4)], thresholds)
        let lines = text.split(separator: "\n").dropFirst(2).map { line in
            line.split(separator: "  ").map { $0.drop { $0 == " " } }.map { String($0) }.filter { !$0.isEmpty }
        }
        #expect(
            lines == [
                ["a", "10 ms", "peer 20 ms", "0.5 ×", "≤ 1.3 ×, ≤ 15 ms", "met"], ["b", "2 ms", "≤ 1 ms", "missed"],
                ["c", "3 ms", "peer 3 ms", "1 ×"], ["d", "4 ms", "new"],
            ])
    }
}
