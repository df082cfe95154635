import FirnTesting
import Testing

@testable import FirnCache

@Suite struct RecordedUsesTests {
    /// Records uses of random slots and compares what the policy learns with all uses, in order.
    @Test(arguments: [3, 200, 400, 5_000]) func `The policy learns of the last use of each slot, in order`(
        slots: Int32
    ) {
        var random = SeededGenerator(seed: 7)
        var uses = RecordedUses()
        var (used, learned): ([Int32], [Int32]) = ([], [])
        for _ in 0..<4_000 {
            let slot = Int32.random(in: 0..<slots, using: &random)
            used.append(slot)
            guard uses.record(slot, now: { Int64(used.count) * 100 }) else { continue }
            uses.settle { uses in
                uses.drain { learned.append($0.slot) }
                return true
            }
        }
        uses.drain { learned.append($0.slot) }
        #expect(uses.hits == 4_000)
        #expect(RecordedUsesTests.lastUses(learned) == RecordedUsesTests.lastUses(used))
        // Few images that are used often do not reach the policy more often than the room for uses requires.
        if slots == 3 { #expect(learned.count <= 512) }
    }

    @Test func `While the cache changes, the newer half of the uses stays`() {
        var uses = RecordedUses()
        for slot in 0..<Int32(512) where uses.record(slot, now: { Int64(slot) * 100 }) { uses.settle { _ in false } }
        var kept: [RecordedUses.Use] = []
        uses.drain { kept.append($0) }
        #expect(kept.map(\.slot) == Array(256..<512))
        #expect(kept.map(\.moment) == kept.map(\.moment).sorted())
    }

    /// The slots in the order of their last uses.
    private static func lastUses(_ uses: [Int32]) -> [Int32] {
        var seen: Set<Int32> = []
        return uses.reversed().filter { seen.insert($0).inserted }.reversed()
    }
}
