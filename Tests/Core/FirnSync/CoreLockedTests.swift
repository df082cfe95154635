import FirnSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct CoreLockedTests {
    /// A value that is wrong while it is being changed, and the reads of each core.
    private struct Pair: ~Copyable {
        var first = 0
        var second = 0
        let reads = PerCore { 0 }
    }

    private final class Shared: Sendable {
        let pair = CoreLocked(Pair())
        let counter = CoreCounter()
    }

    @Test func `Readers see no half of a change, and every read changes what its core keeps once`() async {
        let shared = Shared()
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask { CoreLockedTests.work(worker, shared) }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        var reads = 0
        shared.pair.readEach { pair, core in reads += pair.reads[core].pointee }
        #expect(reads == 6 * 20_000)
        #expect(shared.counter.total == 6 * 20_000)
        #expect(shared.pair.read { pair, _ in pair.first } == 2 * 2_000)
    }

    /// Reads, or changes the value if the worker is one of the last two.
    private static func work(_ worker: Int, _ shared: Shared) -> Int {
        var wrong = 0
        for _ in 0..<(worker < 6 ? 20_000 : 2_000) {
            guard worker >= 6 else {
                let areEqual = shared.pair.read { pair, core in
                    pair.reads[core].pointee += 1
                    return pair.first == pair.second
                }
                if !areEqual { wrong += 1 }
                shared.counter.count()
                continue
            }
            shared.pair.write { pair in
                for core in 0..<pair.reads.count where pair.reads[core].pointee < 0 { wrong += 1 }
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
