import FirnFigures
import FoundationEssentials
import Testing

@Suite struct FigureDrawingTests {
    /// Returns whether all elements are closed in order and all attributes are quoted.
    private func isWellFormed(_ svg: String) -> Bool {
        var open: [Substring] = []
        var rest = svg[...]
        while let start = rest.firstIndex(of: "<") {
            guard !rest[..<start].contains(">"), let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            guard tag.filter({ $0 == "\"" }).count.isMultiple(of: 2) else { return false }
            let name = tag.drop { $0 == "/" }.prefix { $0 != " " && $0 != "/" }
            if tag.hasPrefix("/") {
                guard open.popLast() == name else { return false }
            } else if !tag.hasSuffix("/") {
                open.append(name)
            }
        }
        let isPlain = !svg.contains("script") && !svg.contains("nan") && !svg.contains("inf ")
        return open.isEmpty && svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n") && isPlain
    }

    private func bars(_ svg: String) -> Int { svg.components("<rect").count - 1 }

    private var odd: Figure {
        Figure(name: "a.<b> & \"c\"\u{1}", value: 1, unit: "µs", peer: "x < y & z", peerValue: .infinity)
    }

    @Test func `A drawing without figures says so`() {
        let peers = PeerDrawing.svg(title: "Peers", note: "", [], Thresholds())
        #expect(isWellFormed(peers) && peers.contains("Nothing was measured."))
    }

    @Test func `A figure has a bar, a limit and a label`() {
        var threshold = Threshold()
        threshold.ratioAtMost = 0.75
        let figure = Figure(name: "folder.cpu", value: 0.29, unit: "s", peer: "bare library", peerValue: 1.08)
        let met = PeerDrawing.svg(title: "T", note: "n", [figure], Thresholds(["folder.cpu": threshold]))
        #expect(isWellFormed(met))
        #expect(met.contains("0.269 ×, 0.29 s · bare library"))
        threshold.ratioAtMost = 0.2
        let missed = PeerDrawing.svg(title: "T", note: "n", [figure], Thresholds(["folder.cpu": threshold]))
        // The colors of the key, and the bar's.
        #expect(met.components("fill=\"#3a7ca5\"").count - 1 == 2 && met.components("fill=\"#c8553d\"").count - 1 == 1)
        #expect(
            missed.components("fill=\"#3a7ca5\"").count - 1 == 1 && missed.components("fill=\"#c8553d\"").count - 1 == 2
        )
        let none = PeerDrawing.svg(title: "T", note: "n", [figure], Thresholds())
        #expect(bars(none) == bars(met))
    }

    @Test func `Unusual names and values leave the drawing well formed`() {
        var threshold = Threshold()
        (threshold.valueAtMost, threshold.ratioAtMost) = (0, 0)
        let figures = [
            odd, Figure(name: "nothing", value: 0, unit: ""), Figure(name: "endless", value: .infinity, unit: ""),
            Figure(name: "none", value: .nan, unit: ""),
            Figure(name: "below", value: -3, unit: "", peer: "p", peerValue: 2),
            Figure(name: "huge", value: 1e300, unit: "", peer: "p", peerValue: 1e-300),
        ]
        let thresholds = Thresholds(Dictionary(uniqueKeysWithValues: figures.map { ($0.name, threshold) }))
        for thresholds in [thresholds, Thresholds()] {
            let peers = PeerDrawing.svg(title: "T & <T>", note: "\u{0}", figures, thresholds)
            #expect(isWellFormed(peers))
            #expect(peers.contains("&lt;b&gt; &amp; &quot;c&quot;\u{FFFD}"))
        }
    }

    @Test func `Many figures are drawn in two columns`() {
        let figures = (0..<120).map { Figure(name: "p\($0 / 10).f\($0)", value: 1, unit: "s", peer: "x", peerValue: 2) }
        let peers = PeerDrawing.svg(title: "T", note: "", figures, Thresholds())
        #expect(isWellFormed(peers))
        #expect(peers.contains("width=\"1200\""))
        // The background and three boxes of the key.
        #expect(bars(peers) == 120 + 4)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
