/// Replays traces against every candidate and prints which share of the optimum each reaches.
struct ReplayReport {
    private let traces: [Trace]

    init(_ traces: [Trace]) { self.traces = traces }

    /// LRU comes first, the memory cache's policy last.
    private static let candidates: [(name: String, make: @Sendable (Trace) -> any Candidate)] = [
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

    /// Prints hits in percent, one row for each trace.
    ///
    /// - Returns: whether the memory cache has nine tenths of Belady's hits on average, and on no trace a percentage
    ///   point fewer than LRU.
    func printTable() -> Bool {
        let candidates = ReplayReport.candidates
        print(row("", ["bound", "Belady"], candidates.map(\.name)))
        var (ofBound, ofBelady) = (candidates.map { _ in 0.0 }, candidates.map { _ in 0.0 })
        var (bytes, worst) = (ofBound, candidates.map { _ in 1.0 })
        for trace in traces {
            let count = Double(trace.requests.count)
            let bound = FlowBound(trace).hits / count
            let belady = Double(Belady(trace).hits) / count
            let results = candidates.map { replay(trace, $0.make(trace)) }
            for (at, result) in results.enumerated() {
                ofBound[at] += result.hits / bound / Double(traces.count)
                ofBelady[at] += result.hits / belady / Double(traces.count)
                bytes[at] += result.bytes / Double(traces.count)
                worst[at] = min(worst[at], result.hits - results[0].hits)
            }
            print(row(trace.name, [percent(bound), percent(belady)], results.map { percent($0.hits) }))
        }
        print(row("part of the bound", ["", ""], ofBound.map(percent)))
        print(row("part of Belady's", ["", ""], ofBelady.map(percent)))
        print(row("worst to LRU", ["", ""], worst.map(percent)))
        print(row("bytes hit, mean", ["", ""], bytes.map(percent)))
        return (ofBelady.last ?? 0) >= 0.9 && (worst.last ?? -1) >= -0.01
    }

    /// Returns the hit rates of the requests and of the requested bytes.
    private func replay(_ trace: Trace, _ policy: any Candidate) -> (hits: Double, bytes: Double) {
        var (hits, bytes, asked) = (0, 0, 0)
        for image in trace.requests {
            asked += trace.sizes[Int(image)]
            guard policy.access(image) else { continue }
            hits += 1
            bytes += trace.sizes[Int(image)]
        }
        return (Double(hits) / Double(trace.requests.count), Double(bytes) / Double(asked))
    }

    private func percent(_ value: Double) -> String { "\((value * 1000).rounded() / 10)" }

    private func row(_ name: String, _ bounds: [String], _ cells: [String]) -> String {
        pad(name, 18) + bounds.map { pad($0, 8) }.joined() + cells.map { pad($0, 9) }.joined()
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
