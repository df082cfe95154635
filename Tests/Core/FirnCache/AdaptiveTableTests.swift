import FirnTesting
import Testing

@testable import FirnCache

@Suite struct AdaptiveTableTests {
    private struct Key: HashedKey {
        let number: Int
        var bits: UInt64 {
            var mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
            return mixed ^ (mixed >> 32)
        }
    }

    private typealias Table = AdaptiveTable<Key, Int>

    /// Inserts a value and evicts others until the costs are within `capacity`.
    private static func put(_ number: Int, _ cost: Int, in table: inout Table, capacity: Int) {
        let slot = table.insert(.init(key: Key(number: number), value: number, cost: cost, born: 0)).slot
        var passed = SlotList.none
        while table.cost > capacity, let victim = table.nextVictim(after: passed) {
            if victim == slot { passed = slot } else { _ = table.take(victim) }
        }
    }

    @Test func `Without evidence the least recently used is evicted first`() {
        var table = Table(capacity: 4)
        for number in 0..<4 { AdaptiveTableTests.put(number, 1, in: &table, capacity: 4) }
        _ = table.use(Key(number: 0))
        AdaptiveTableTests.put(4, 1, in: &table, capacity: 4)
        #expect(table.use(Key(number: 1)) == nil)
        #expect(table.use(Key(number: 0)) == 0)
    }

    @Test func `A loop longer than the capacity hits nearly all that fits`() {
        var table = Table(capacity: 100)
        var hits = 0
        for round in 0..<40 {
            for number in 0..<120 {
                if table.use(Key(number: number)) != nil {
                    if round >= 20 { hits += 1 }
                } else {
                    AdaptiveTableTests.put(number, 1, in: &table, capacity: 100)
                }
            }
        }
        // Of 2400 lookups, at most 99 × 20 = 1980 can be hits.
        #expect(hits >= 1900)
    }

    @Test func `Of equally frequent large and small images the small ones stay`() {
        var table = Table(capacity: 1000)
        var hits = 0
        // 20 values of cost 50 and 200 of cost 2; LRU alone would evict the small ones.
        for round in 0..<60 {
            for number in 0..<240 {
                let isLarge = number % 12 == 0
                if table.use(Key(number: number)) != nil {
                    if round >= 30, !isLarge { hits += 1 }
                } else {
                    AdaptiveTableTests.put(number, isLarge ? 50 : 2, in: &table, capacity: 1000)
                }
            }
        }
        #expect(hits >= 30 * 200)
    }

    @Test func `Thousands of random operations keep every invariant`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var capacity = 60
        var table = Table(capacity: capacity)
        var costs: [Int: Int] = [:]
        for step in 0..<20_000 {
            let number = Int.random(in: 0..<80, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let cost = Bool.random(using: &random) ? costs[number] ?? 3 : Int.random(in: 0...12, using: &random)
                costs[number] = cost
                AdaptiveTableTests.put(number, cost, in: &table, capacity: capacity)
            case 45..<90:
                if let found = table.use(Key(number: number)) { try #require(found == number) }
            case 90..<95:
                _ = table.remove(Key(number: number))
                try #require(table.use(Key(number: number)) == nil)
            case 95..<98:
                if let victim = table.nextVictim() { _ = table.take(victim) }
            default:
                capacity = Int.random(in: 0...90, using: &random)
                table.setCapacity(capacity)
                while table.cost > capacity, let victim = table.nextVictim() { _ = table.take(victim) }
            }
            try AdaptiveTableTests.check(&table, "seed \(seed), step \(step)")
        }
        while let victim = table.nextVictim() { _ = table.take(victim) }
        #expect(table.count == 0 && table.cost == 0)
        #expect(table.values.count < 400, "slots are used again")
    }

    private static func check(_ table: inout Table, _ place: Comment) throws {
        var (count, cost, known) = (0, 0, 0)
        for slot in table.values.indices.map(Int32.init) {
            let isHeld = table.values[Int(slot)] != nil
            let isKnown = table.lru.knows(slot) || table.lirs.knows(slot) || table.greedyDualSize.knows(slot)
            if isHeld { (count, cost) = (count + 1, cost + table.labels[Int(slot)].cost) }
            if isHeld || isKnown { known += 1 }
            let marks: UInt8 =
                (table.lru.contains(slot) ? 0 : 1) | (table.lirs.contains(slot) ? 0 : 2)
                | (table.greedyDualSize.contains(slot) ? 0 : 4)
            try #require(table.strayMarks[Int(slot)] == (isHeld ? marks : 0), place)
            try #require((table.keys[Int(slot)] != nil) == isHeld, place)
        }
        try #require(table.count == count && table.cost == cost, place)
        try #require(table.places.count == known && table.free.count == table.values.count - known, place)
        try #require(table.left.isEmpty, place)
    }
}
