/// Replays traces against every candidate and prints what part of the optimum each reaches.
struct ReplayReport {
    private let traces: [Trace]

    init(_ traces: [Trace]) { self.traces = traces }

    static let candidates: [(name: String, make: @Sendable (Trace) -> any Candidate)] = [
        ("LRU", { LRUCandidate($0) }),
        ("SLRU", { SLRUCandidate($0) }),
        ("SIEVE", { SieveCandidate($0) }),
        ("S3-FIFO", { S3FIFOCandidate($0) }),
        ("ARC", { ARCCandidate($0) }),
        ("LIRS", { LIRSCandidate($0) }),
        ("DLIRS", { LIRSCandidate($0, adapts: true) }),
        ("W-TLFU", { TinyLFUCandidate($0) }),
        ("climb", { TinyLFUCandidate($0, .climbing) }),
        ("W-LRU", { TinyLFUCandidate($0, window: 0.5, .byRecency) }),
        ("GDS", { GreedyDualCandidate($0, counts: false) }),
        ("GDSF", { GreedyDualCandidate($0, counts: true) }),
        ("LRU+LIRS", { ExpertsCandidate($0, LRUCandidate($0), LIRSCandidate($0)) }),
        ("Firn", { AdaptiveCandidate($0) }),
    ]

    func printTable() {
        func pad(_ text: String, _ width: Int) -> String {
            text.count >= width ? text : String(repeating: " ", count: width - text.count) + text
        }
        func percent(_ value: Double) -> String { "\((value * 1000).rounded() / 10)" }
        print(pad("", 16), pad("bound", 6), pad("Belady", 6), ReplayReport.candidates.map { pad($0.name, 9) }.joined())
        var parts = [Double](repeating: 0, count: ReplayReport.candidates.count)
        var ofBelady = parts
        var worst = [Double](repeating: 1, count: parts.count)
        for trace in traces {
            let count = Double(trace.requests.count)
            let bound = FlowBound(trace).hits / count
            let belady = Double(Belady(trace).hits) / count
            var rates: [Double] = []
            for candidate in ReplayReport.candidates {
                let policy = candidate.make(trace)
                var hits = 0
                for picture in trace.requests where policy.access(picture) { hits += 1 }
                rates.append(Double(hits) / count)
            }
            for (at, rate) in rates.enumerated() {
                parts[at] += rate / bound / Double(traces.count)
                ofBelady[at] += rate / belady / Double(traces.count)
                worst[at] = min(worst[at], rate - rates[0])
            }
            print(
                pad(trace.name, 16), pad(percent(bound), 6), pad(percent(belady), 6),
                rates.map { pad(percent($0), 9) }.joined())
        }
        print(pad("of the bound", 30), parts.map { pad(percent($0), 9) }.joined())
        print(pad("of Belady", 30), ofBelady.map { pad(percent($0), 9) }.joined())
        print(pad("worst to LRU", 30), worst.map { pad(percent($0), 9) }.joined())
    }
}
