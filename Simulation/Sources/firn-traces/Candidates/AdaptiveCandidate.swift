/// What the memory cache uses: ``AdaptiveTable`` itself.
final class AdaptiveCandidate: Candidate {
    private struct Key: HashedKey {
        let bits: UInt64

        init(_ picture: Int32) {
            var random = TraceSeed(seed: UInt64(UInt32(bitPattern: picture)))
            bits = random.next()
        }
    }

    private var table: AdaptiveTable<Key, Int32>
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        table = AdaptiveTable(capacity: trace.capacity)
    }

    func contains(_ picture: Int32) -> Bool { table.place(Key(picture)) != nil }

    func access(_ picture: Int32) -> Bool {
        let key = Key(picture)
        if table.use(key) != nil { return true }
        let slot = table.insert(.init(key: key, value: picture, cost: trace.sizes[Int(picture)], born: 0)).slot
        var passed = SlotList.none
        while table.cost > trace.capacity, let victim = table.nextVictim(after: passed) {
            if victim == slot { passed = slot } else { _ = table.take(victim) }
        }
        return false
    }
}
