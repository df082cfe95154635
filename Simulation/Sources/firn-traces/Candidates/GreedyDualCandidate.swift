/// GreedyDual-Size: evicts the image with the fewest uses for its bytes first; each eviction lowers the value of the
/// others.
///
/// Source: P. Cao, S. Irani, Cost-aware WWW proxy caching algorithms (1997); L. Cherkasova, GDSF (1998).
final class GreedyDualCandidate: Candidate {
    private var heap: [(value: Double, image: Int32)] = []
    private var values: [Double]
    private var uses: [Double]
    private var bytes = 0
    private var floor = 0.0
    private let counts: Bool
    private let trace: Trace

    init(_ trace: Trace, counts: Bool) {
        self.trace = trace
        self.counts = counts
        values = [Double](repeating: -1, count: trace.sizes.count)
        uses = [Double](repeating: 0, count: trace.sizes.count)
    }

    func contains(_ image: Int32) -> Bool { values[Int(image)] >= 0 }

    func access(_ image: Int32) -> Bool {
        let at = Int(image)
        let isHit = contains(image)
        if !isHit {
            bytes += trace.sizes[at]
            uses[at] = 0
        }
        uses[at] += 1
        values[at] = floor + (counts ? uses[at] : 1) / Double(trace.sizes[at])
        push((values[at], image))
        while bytes > trace.capacity, let top = pop() {
            guard values[Int(top.image)] == top.value else { continue }
            floor = top.value
            values[Int(top.image)] = -1
            bytes -= trace.sizes[Int(top.image)]
        }
        return isHit
    }

    private func push(_ entry: (value: Double, image: Int32)) {
        heap.append(entry)
        var at = heap.count - 1
        while at > 0, heap[(at - 1) / 2].value > heap[at].value {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private func pop() -> (value: Double, image: Int32)? {
        guard let top = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var at = 0
        while true {
            var least = at
            for child in [2 * at + 1, 2 * at + 2] where child < heap.count && heap[child].value < heap[least].value {
                least = child
            }
            if least == at { return top }
            heap.swapAt(at, least)
            at = least
        }
    }
}
