import FirnSync
import FirnSystem
import Testing

@Suite(.timeLimit(.minutes(5))) struct InlineLockTests {
    /// Counts without atomics, so that a lock that admits two threads at once loses counts.
    private final class Tally: Sendable {
        private let lock = InlineLock()
        nonisolated(unsafe) private var count = 0
        nonisolated(unsafe) private var inside = 0
        nonisolated(unsafe) private(set) var met = 0

        func add(yielding: Bool) {
            lock.withLock {
                inside += 1
                if inside > 1 { met += 1 }
                // Stops the holder, so that other threads have to sleep.
                if yielding { sched_yield() }
                count += 1
                inside -= 1
            }
        }

        var total: Int { lock.withLock { count } }
    }

    @Test(arguments: [false, true]) func `Only one is inside at a time, however many want in`(yielding: Bool) async {
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5_000 { tally.add(yielding: yielding) } }
            }
        }
        #expect(tally.total == 40_000)
        #expect(tally.met == 0)
    }

    @Test func `Many locks may be waited for at once`() async {
        let tallies = (0..<4).map { _ in Tally() }
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask { for _ in 0..<2_000 { tallies[worker % 4].add(yielding: true) } }
            }
        }
        #expect(tallies.allSatisfy { $0.total == 4_000 })
    }

    @Test func `An error leaves the lock open`() {
        struct Failure: Error {}
        let lock = InlineLock()
        #expect(throws: Failure.self) { try lock.withLock { throw Failure() } }
        #expect(lock.withLock { 7 } == 7)
    }
}
