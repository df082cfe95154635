/// The policy of the memory cache: ``AdaptiveTable`` itself.
final class AdaptiveCandidate: Candidate {
    private struct Key: HashedKey {
        let bits: UInt64

        init(_ image: Int32) {
            var random = TraceSeed(seed: UInt64(UInt32(bitPattern: image)))
            bits = random.next()
        }
    }

    private var table: AdaptiveTable<Key, Int32>
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        table = AdaptiveTable(capacity: trace.capacity)
    }

    func contains(_ image: Int32) -> Bool { table.place(Key(image)) != nil }

    func access(_ image: Int32) -> Bool {
        let key = Key(image)
        if table.use(key) != nil { return true }
        let slot = table.insert(.init(key: key, value: image, cost: trace.sizes[Int(image)], born: 0)).slot
        var passed = SlotList.none
        while table.cost > trace.capacity, let victim = table.nextVictim(after: passed) {
            if victim == slot { passed = slot } else { _ = table.take(victim) }
        }
        return false
    }
}
