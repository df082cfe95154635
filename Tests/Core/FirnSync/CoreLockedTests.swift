import FirnSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct CoreLockedTests {
    /// A value that is wrong while it is being changed.
    private struct Pair {
        var first = 0
        var second = 0
    }

    private final class Shared: Sendable {
        let pair = CoreLocked<Pair, Int>(Pair(), part: 0)
        let counter = CoreCounter()
    }

    @Test func `Readers see no half of a change, and every read changes its core's part once`() async {
        let shared = Shared()
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask { CoreLockedTests.work(worker, shared) }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        var reads = 0
        shared.pair.visit { reads += $0 }
        #expect(reads == 6 * 20_000)
        #expect(shared.counter.total == 6 * 20_000)
        #expect(shared.pair.read { pair, _ in pair.first } == 2 * 2_000)
    }

    /// Reads, or changes the value if the worker is one of the last two.
    private static func work(_ worker: Int, _ shared: Shared) -> Int {
        var wrong = 0
        for _ in 0..<(worker < 6 ? 20_000 : 2_000) {
            guard worker >= 6 else {
                let areEqual = shared.pair.read { pair, reads in
                    reads += 1
                    return pair.first == pair.second
                }
                if !areEqual { wrong += 1 }
                shared.counter.count()
                continue
            }
            shared.pair.write(visiting: { if $0 < 0 { wrong += 1 } }) { pair in
                pair.first += 1
                pair.second += 1
            }
        }
        return wrong
    }

    @Test func `The elements of cores are on cache lines of their own`() {
        let elements = PerCore<Int8>(count: 4) { 5 }
        let addresses = (0..<elements.count).map { UInt(bitPattern: elements[$0]) }
        #expect(addresses.allSatisfy { $0 % 128 == 0 })
        #expect(Set(addresses).count == 4)
        #expect(addresses.contains(UInt(bitPattern: elements.current)))
        #expect(PerCore<Int8>.machineCount.nonzeroBitCount == 1)
    }
}
