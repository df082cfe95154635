import FirnTesting
import Testing

@testable import FirnCache

@Suite struct AdaptiveTableTests {
    /// A table with the slots of the numbers that it holds.
    private struct Numbers {
        var table: AdaptiveTable
        private var slots: [Int: Int32] = [:]

        init(capacity: Int) { table = AdaptiveTable(capacity: capacity) }

        private static func bits(_ number: Int) -> UInt64 {
            var mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
            return mixed ^ (mixed >> 32)
        }

        /// Inserts a number and evicts others until the costs are within `capacity`.
        mutating func put(_ number: Int, _ cost: Int, capacity: Int) {
            if let older = slots[number] { table.take(older) }
            let slot = table.insert(bits: Numbers.bits(number), cost: cost, born: 0)
            slots[number] = slot
            evict(to: capacity, sparing: slot)
        }

        /// Evicts numbers until the costs are within `capacity`.
        mutating func evict(to capacity: Int, sparing spared: Int32 = SlotList.none) {
            var passed = SlotList.none
            while table.cost > capacity, let victim = table.nextVictim(after: passed) {
                if victim == spared { passed = spared } else { take(victim) }
            }
        }

        /// Returns whether a number was held and is evicted.
        mutating func evictNext() -> Bool {
            guard let victim = table.nextVictim() else { return false }
            take(victim)
            return true
        }

        private mutating func take(_ victim: Int32) {
            table.take(victim)
            slots = slots.filter { $0.value != victim }
        }

        /// Returns whether a number is held, and records a use of it.
        mutating func use(_ number: Int) -> Bool {
            guard let slot = slots[number] else { return false }
            table.touch(slot)
            return true
        }

        mutating func remove(_ number: Int) {
            if let slot = slots.removeValue(forKey: number) { table.remove(slot) }
        }

        /// The slots that should be held.
        var held: Set<Int32> { Set(slots.values) }
    }

    @Test func `Without evidence the least recently used is evicted first`() {
        var numbers = Numbers(capacity: 4)
        for number in 0..<4 { numbers.put(number, 1, capacity: 4) }
        _ = numbers.use(0)
        numbers.put(4, 1, capacity: 4)
        let (isEvicted, isHeld) = (!numbers.use(1), numbers.use(0))
        #expect(isEvicted && isHeld)
    }

    @Test func `A loop longer than the capacity hits nearly all that fits`() {
        var numbers = Numbers(capacity: 100)
        var hits = 0
        for round in 0..<40 {
            for number in 0..<120 {
                if numbers.use(number) {
                    if round >= 20 { hits += 1 }
                } else {
                    numbers.put(number, 1, capacity: 100)
                }
            }
        }
        // At most 99 × 20 = 1980 of the 2400 lookups can be hits.
        #expect(hits >= 1900)
    }

    @Test func `Small images outlive large images that are used equally often`() {
        var numbers = Numbers(capacity: 1000)
        var hits = 0
        // 20 values of cost 50 and 200 of cost 2; LRU alone would evict the small ones.
        for round in 0..<60 {
            for number in 0..<240 {
                let isLarge = number % 12 == 0
                if numbers.use(number) {
                    if round >= 30, !isLarge { hits += 1 }
                } else {
                    numbers.put(number, isLarge ? 50 : 2, capacity: 1000)
                }
            }
        }
        #expect(hits >= 30 * 200)
    }

    @Test func `Thousands of random operations keep every invariant`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var capacity = 60
        var numbers = Numbers(capacity: capacity)
        var costs: [Int: Int] = [:]
        for step in 0..<20_000 {
            let number = Int.random(in: 0..<80, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let cost = Bool.random(using: &random) ? costs[number] ?? 3 : Int.random(in: 0...12, using: &random)
                costs[number] = cost
                numbers.put(number, cost, capacity: capacity)
            case 45..<90: _ = numbers.use(number)
            case 90..<95: numbers.remove(number)
            case 95..<98: _ = numbers.evictNext()
            default:
                capacity = Int.random(in: 0...90, using: &random)
                numbers.table.setCapacity(capacity)
                numbers.evict(to: capacity)
            }
            try AdaptiveTableTests.check(numbers, "seed \(seed), step \(step)")
        }
        while numbers.evictNext() {}
        #expect(numbers.table.count == 0 && numbers.table.cost == 0)
        #expect(numbers.table.labels.count < 400, "slots are used again")
    }

    private static func check(_ numbers: Numbers, _ place: Comment) throws {
        let (table, held) = (numbers.table, numbers.held)
        var (count, cost, known) = (0, 0, 0)
        for slot in table.labels.indices.map(Int32.init) {
            let isHeld = table.labels[Int(slot)].isHeld
            let isKnown = table.lru.knows(slot) || table.lirs.knows(slot) || table.greedyDualSize.knows(slot)
            if isHeld { (count, cost) = (count + 1, cost + table.labels[Int(slot)].cost) }
            if isHeld || isKnown { known += 1 }
            let marks: UInt8 =
                (table.lru.contains(slot) ? 0 : 1) | (table.lirs.contains(slot) ? 0 : 2)
                | (table.greedyDualSize.contains(slot) ? 0 : 4)
            try #require(table.strayMarks[Int(slot)] == (isHeld ? marks : 0), place)
            try #require(held.contains(slot) == isHeld, place)
        }
        try #require(table.count == count && table.cost == cost, place)
        try #require(table.places.count == known && table.free.count == table.labels.count - known, place)
        try #require(table.left.isEmpty, place)
    }
}
