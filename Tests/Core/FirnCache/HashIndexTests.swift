import FirnTesting
import Testing

@testable import FirnCache

/// Tests slots by hash, with colliding hashes.
@Suite struct HashIndexTests {
    @Test(arguments: [1, 4, 64, 1 << 40])
    func `Random insertions and removals with colliding hashes agree with a dictionary`(distinct: UInt64) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var table = HashIndex()
        var model: [Int32: UInt64] = [:]
        for step in 0..<4_000 {
            let slot = Int32.random(in: 0..<100, using: &random)
            if let hash = model[slot] {
                table.remove(slot, hash)
                model[slot] = nil
                try #require(table.find(hash) { $0 == slot } == nil, "seed \(seed), step \(step)")
            } else {
                let hash = UInt64.random(in: 0..<distinct, using: &random) &* 0x1_0000_0001
                table.insert(slot, hash)
                model[slot] = hash
            }
            try #require(table.count == model.count)
            for (slot, hash) in model {
                try #require(table.find(hash) { $0 == slot } == slot, "seed \(seed), step \(step)")
            }
        }
    }
}
