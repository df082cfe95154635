/// Belady's rule: evicts the image whose next use is farthest in the future, and does not admit one whose next use is
/// later than all others.
///
/// This is optimal for images of one size. For others it is a policy like any other, and shows how far ``FlowBound``
/// may be off.
///
/// Source: L. Belady, A study of replacement algorithms for a virtual-storage computer (1966).
struct Belady {
    let hits: Int

    init(_ trace: Trace) {
        let count = trace.requests.count
        var next = [Int](repeating: .max, count: count)
        var seen = [Int](repeating: .max, count: trace.sizes.count)
        for moment in stride(from: count - 1, through: 0, by: -1) {
            let image = Int(trace.requests[moment])
            next[moment] = seen[image]
            seen[image] = moment
        }
        // A heap by next use, the latest first; outdated entries stay in it.
        var heap: [(use: Int, image: Int32)] = []
        var nextUse = [Int](repeating: -1, count: trace.sizes.count)
        var (used, hits) = (0, 0)
        for moment in 0..<count {
            let image = trace.requests[moment]
            let size = trace.sizes[Int(image)]
            if nextUse[Int(image)] >= 0 { hits += 1; used -= size }
            nextUse[Int(image)] = -1
            guard next[moment] != .max, size <= trace.capacity else { continue }
            nextUse[Int(image)] = next[moment]
            used += size
            heap.append((next[moment], image))
            Belady.up(&heap)
            while used > trace.capacity, let top = heap.first {
                Belady.pop(&heap)
                if nextUse[Int(top.image)] == top.use {
                    nextUse[Int(top.image)] = -1
                    used -= trace.sizes[Int(top.image)]
                }
            }
        }
        self.hits = hits
    }

    private static func up(_ heap: inout [(use: Int, image: Int32)]) {
        var at = heap.count - 1
        while at > 0, heap[(at - 1) / 2].use < heap[at].use {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private static func pop(_ heap: inout [(use: Int, image: Int32)]) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var at = 0
        while true {
            var largest = at
            for child in [2 * at + 1, 2 * at + 2] where child < heap.count && heap[child].use > heap[largest].use {
                largest = child
            }
            if largest == at { return }
            heap.swapAt(at, largest)
            at = largest
        }
    }
}
