import FirnTesting
import Testing

@testable import FirnPipeline

@Suite struct `Bodies of transfers that were given up` {
    private static let kib = 1 << 10

    private func bodies(_ change: (inout PartialLimits) -> Void = { _ in }) -> PartialBodies<String, String> {
        var limits = PartialLimits()
        change(&limits)
        return PartialBodies(limits: limits)
    }

    private func keep(
        _ bodies: inout PartialBodies<String, String>, _ key: String, _ kibibytes: Int, now: Moment = 0
    ) {
        bodies.keep("\(key)\(kibibytes)", of: key, count: kibibytes * Self.kib, now: now)
    }

    private func take(_ bodies: inout PartialBodies<String, String>, _ key: String, now: Moment = 0) -> String? {
        bodies.take(key, now: now)
    }

    @Test func `One is handed over once, and was not wasted`() {
        var bodies = bodies()
        keep(&bodies, "a", 20)
        #expect(take(&bodies, "b") == nil)
        #expect(take(&bodies, "a") == "a20")
        #expect(take(&bodies, "a") == nil)
        #expect(bodies.bytes == 0 && bodies.wasted == 0 && bodies.resumed == 20 * Self.kib)
        #expect(bodies.takeLeft().isEmpty)
    }

    @Test func `The oldest leaves for one too many`() {
        var bodies = bodies { $0.count = 2 }
        for key in ["a", "b", "c"] { keep(&bodies, key, 20) }
        #expect(bodies.count == 2 && bodies.wasted == 20 * Self.kib && bodies.takeLeft() == ["a20"])
        #expect(take(&bodies, "a") == nil)
        #expect(take(&bodies, "b") == "b20")
        #expect(take(&bodies, "c") == "c20")
    }

    @Test func `The oldest leave for too many bytes`() {
        var bodies = bodies { $0.bytes = 100 << 10 }
        for key in ["a", "b", "c"] { keep(&bodies, key, 30) }
        keep(&bodies, "d", 50)
        #expect(bodies.takeLeft() == ["a30", "b30"] && bodies.bytes == 80 * Self.kib)
        // A body larger than the limit displaces nothing.
        keep(&bodies, "e", 101)
        #expect(bodies.takeLeft() == ["e101"] && bodies.count == 2)
        #expect(bodies.wasted == 161 * Self.kib)
    }

    @Test func `Few bytes are not kept`() {
        var bodies = bodies()
        keep(&bodies, "a", 15)
        #expect(bodies.count == 0 && bodies.wasted == 15 * Self.kib)
        keep(&bodies, "a", 16)
        #expect(bodies.count == 1)
    }

    @Test func `Of two bodies with one key, the longer one is kept`() {
        var bodies = bodies()
        keep(&bodies, "a", 30)
        keep(&bodies, "a", 20)
        #expect(bodies.takeLeft() == ["a20"])
        keep(&bodies, "a", 40)
        #expect(bodies.takeLeft() == ["a30"] && bodies.count == 1 && bodies.bytes == 40 * Self.kib)
        #expect(take(&bodies, "a") == "a40")
        #expect(bodies.wasted == 50 * Self.kib)
    }

    @Test func `After its time it is dropped`() {
        var bodies = bodies { $0.time = 100 }
        keep(&bodies, "a", 20, now: 0)
        keep(&bodies, "b", 20, now: 50)
        #expect(take(&bodies, "a", now: 101) == nil)
        #expect(bodies.wasted == 20 * Self.kib)
        #expect(take(&bodies, "b", now: 150) == "b20")
    }

    @Test func `Lower limits hold at once`() {
        var bodies = bodies()
        for key in ["a", "b", "c"] { keep(&bodies, key, 20) }
        var limits = PartialLimits()
        limits.count = 1
        bodies.setLimits(limits, now: 0)
        #expect(bodies.takeLeft() == ["a20", "b20"])
        limits.bytes = 0
        bodies.setLimits(limits, now: 0)
        #expect(bodies.count == 0 && bodies.wasted == 60 * Self.kib)
    }

    @Test func `Nothing is kept with a limit of zero`() {
        for limits in [(0, 1 << 20), (-1, 1 << 20), (5, 0), (5, -1)] {
            var bodies = bodies { ($0.count, $0.bytes) = limits }
            keep(&bodies, "a", 20)
            #expect(bodies.count == 0 && bodies.wasted == 20 * Self.kib && bodies.takeLeft() == ["a20"])
        }
    }

    @Test func `What is dropped was wasted`() {
        var bodies = bodies()
        for key in ["a", "b", "c"] { keep(&bodies, key, 20) }
        bodies.drop("b")
        bodies.drop("x")
        #expect(bodies.count == 2 && bodies.wasted == 20 * Self.kib)
        bodies.removeAll()
        #expect(bodies.count == 0 && bodies.bytes == 0 && bodies.takeLeft() == ["b20", "a20", "c20"])
    }

    @Test(arguments: 0..<20) func `No byte is lost count of`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bodies = bodies {
            $0.count = Int.random(in: 1...5, using: &random)
            $0.bytes = Int.random(in: 20...200, using: &random) << 10
            $0.time = 50
        }
        var given = 0
        for step in 0..<2000 {
            let key = "\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bodies.drop(key)
            case 1...3: _ = bodies.take(key, now: Moment(step))
            default:
                let count = Int.random(in: 0..<60, using: &random) << 10
                given += count
                bodies.keep(key, of: key, count: count, now: Moment(step))
            }
            #expect(bodies.count <= bodies.limits.count && bodies.bytes <= bodies.limits.bytes)
            #expect(given == bodies.bytes + bodies.wasted + bodies.resumed)
        }
    }
}
