import FirnTesting
import Testing

@testable import FirnImage

/// Tests how a memory budget is divided: the pure part.
@Suite struct BudgetLedgerTests {
    @Test func `Decodes and animations get at most half each, caches the rest`() {
        var ledger = BudgetLedger(total: 1000)
        let (decodes, animation, cache) = (ledger.open(.decoding), ledger.open(.animation), ledger.open(.cache))
        #expect(ledger.room(of: cache) == 1000)
        #expect(ledger.decodingRoom == 500)
        #expect(ledger.ask(800, for: animation, least: 10) == 500)
        ledger.set(decodes, to: 300)
        #expect(ledger.room(of: cache) == 200)
        ledger.close(animation)
        #expect(ledger.room(of: cache) == 700)
    }

    @Test func `Bytes that a cache cannot free are not granted to decodes`() {
        var ledger = BudgetLedger(total: 1000)
        let (decodes, cache) = (ledger.open(.decoding), ledger.open(.cache))
        ledger.set(cache, to: 900)
        ledger.set(decodes, to: 200)
        #expect(ledger.excess == 100)
        ledger.recordEviction()
        #expect(ledger.decodingRoom == 100)
        ledger.set(cache, to: 300)
        #expect(ledger.decodingRoom == 500)
    }

    @Test func `While memory is short an animation gets only the memory that it needs`() {
        var ledger = BudgetLedger(total: 1000)
        let animation = ledger.open(.animation)
        #expect(ledger.ask(300, for: animation, least: 20) == 300)
        ledger.share = 0.4
        #expect(ledger.ask(300, for: animation, least: 20) == 20)
        ledger.share = 1
        #expect(ledger.ask(300, for: animation, least: 20) == 300)
    }

    /// Simulates users that follow the budget: the sum stays below the limit, except for what is always allowed.
    @Test func `Thousands of random events never exceed the limit`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let total = 10_000
        var ledger = BudgetLedger(total: total)
        let decodes = ledger.open(.decoding)
        let caches = (0..<2).map { _ in ledger.open(.cache) }
        var animations = (0..<3).map { _ in ledger.open(.animation) }
        var running: [Int] = []
        func shrink() {
            for cache in caches where ledger.excess > 0 {
                ledger.set(cache, to: min(ledger.bytes(of: cache), ledger.room(of: cache)))
            }
            ledger.recordEviction()
        }
        for step in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                let bytes = Int.random(in: 1...3_000, using: &random)
                ledger.set(decodes, to: running.reduce(bytes, +))
                shrink()
                if running.isEmpty || running.reduce(bytes, +) <= ledger.decodingRoom {
                    running.append(bytes)
                } else {
                    ledger.set(decodes, to: running.reduce(0, +))
                }
            case 3..<5:
                if !running.isEmpty { running.remove(at: Int.random(in: 0..<running.count, using: &random)) }
                ledger.set(decodes, to: running.reduce(0, +))
            case 5..<7:
                let cache = caches[Int.random(in: 0..<2, using: &random)]
                let wanted = ledger.bytes(of: cache) + Int.random(in: 0...2_000, using: &random)
                ledger.set(cache, to: min(wanted, ledger.room(of: cache)))
            case 7..<9:
                let at = Int.random(in: 0..<animations.count, using: &random)
                let own = ledger.bytes(of: animations[at])
                let granted = ledger.ask(own + Int.random(in: 0...900, using: &random), for: animations[at], least: 10)
                shrink()
                try #require(granted == ledger.bytes(of: animations[at]) && granted >= 10)
            default:
                let at = Int.random(in: 0..<animations.count, using: &random)
                ledger.close(animations[at])
                animations[at] = ledger.open(.animation)
            }
            // A single decode may always run, and three animations always have what they need.
            let alone = running.count == 1 ? running[0] : 0
            try #require(
                ledger.excess <= alone + 30, "seed \(seed), step \(step): \(ledger.excess) above the limit")
            try #require(ledger.decoding == running.reduce(0, +))
            try #require(ledger.kept == caches.reduce(0) { $0 + ledger.bytes(of: $1) })
            try #require(ledger.animations == animations.reduce(0) { $0 + ledger.bytes(of: $1) })
        }
        #expect(ledger.stuck == 0)
    }
}
