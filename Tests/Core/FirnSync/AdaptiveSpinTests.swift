import FirnSync
import Testing

@Suite struct AdaptiveSpinTests {
    /// Counts the calls of the condition in each wait.
    private func checks(of spin: borrowing AdaptiveSpin, waits: Int, isTrue: Bool) -> [Int] {
        (0..<waits).map { _ in
            var checks = 0
            _ = spin.wait(upTo: 1_000) {
                checks += 1
                return isTrue
            }
            return checks
        }
    }

    @Test func `A condition that is true ends the wait at its first check`() {
        let spin = AdaptiveSpin()
        #expect(checks(of: spin, waits: 100, isTrue: true) == Array(repeating: 1, count: 100))
    }

    @Test func `A condition that another thread makes true ends the wait`() {
        let spin = AdaptiveSpin()
        var checks = 0
        let isMet = spin.wait(upTo: .max) {
            checks += 1
            return checks == 1_000
        }
        #expect(isMet)
        #expect(checks == 1_000)
    }

    @Test func `Unsuccessful spins become rarer, down to one in 32 waits`() {
        let spin = AdaptiveSpin()
        let checks = checks(of: spin, waits: 200, isTrue: false)
        let spinning = checks.indices.filter { checks[$0] > 0 }
        // Each unsuccessful spin is followed by 0, 1, 3, 7, 15, 31, 31, … waits without one.
        #expect(spinning == [0, 1, 3, 7, 15, 31, 63, 95, 127, 159, 191])
    }

    @Test func `A successful spin makes the next ones more frequent`() {
        let spin = AdaptiveSpin()
        _ = checks(of: spin, waits: 64, isTrue: false)
        let checks = checks(of: spin, waits: 200, isTrue: true)
        // The wait after 31 without a spin succeeds, and so does each one after it.
        #expect(checks.prefix(31).allSatisfy { $0 == 0 })
        #expect(checks.dropFirst(31).allSatisfy { $0 == 1 })
    }

    @Test func `While one caller spins, another one does not`() {
        let spin = AdaptiveSpin()
        var other: Bool?
        let isMet = spin.wait(upTo: .max) {
            other = spin.wait(upTo: .max) { true }
            return true
        }
        #expect(isMet)
        #expect(other == false)
        #expect(spin.wait(upTo: .max) { true })
    }

    @Test func `Without a spin the condition is not checked, and the wait fails`() {
        let spin = AdaptiveSpin()
        _ = checks(of: spin, waits: 2, isTrue: false)
        #expect(!spin.wait(upTo: .max) { true })
        #expect(spin.wait(upTo: .max) { true })
    }
}
