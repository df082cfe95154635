import FirnTesting
import Testing

@testable import FirnPipeline

@Suite struct PrefetchQueueTests {
    @Test func `Items start in the order they came, no more than the limit at once`() {
        var queue = PrefetchQueue<Int>(limit: 2)
        for key in 1...4 { queue.add(key) }
        let (first, second) = (queue.next(), queue.next())
        #expect([first?.key, second?.key] == [1, 2])
        #expect(queue.next() == nil)
        #expect(first.flatMap { queue.finish($0.ticket) } == 1)
        #expect(queue.next()?.key == 3)
        #expect(queue.count == 3)
    }

    @Test func `An item that waits or runs is not added again`() {
        var queue = PrefetchQueue<Int>(limit: 1)
        queue.add(1)
        queue.add(1)
        #expect(queue.count == 1)
        let start = queue.next()
        queue.add(1)
        #expect(queue.count == 1)
        #expect(start.flatMap { queue.finish($0.ticket) } == 1)
        #expect(queue.isEmpty)
        queue.add(1)
        #expect(queue.next()?.key == 1)
    }

    @Test func `Removing an item reports it only if it was running, and its later end is ignored`() {
        var queue = PrefetchQueue<Int>(limit: 1)
        for key in 1...3 { queue.add(key) }
        let start = queue.next()
        #expect(queue.remove(2) == nil)
        #expect(queue.remove(1) == start?.ticket)
        #expect(start.flatMap { queue.finish($0.ticket) } == nil)
        #expect(queue.next()?.key == 3)
    }

    @Test func `A ticket from before a removal of everything names no later entry`() {
        var queue = PrefetchQueue<Int>(limit: 1)
        queue.add(1)
        let old = queue.next()
        queue.removeAll()
        queue.add(2)
        let new = queue.next()
        #expect(old.flatMap { queue.finish($0.ticket) } == nil)
        #expect(new.flatMap { queue.finish($0.ticket) } == 2)
    }

    @Test func `Nothing starts while the queue is paused`() {
        var queue = PrefetchQueue<Int>(limit: 1)
        queue.add(1)
        queue.isPaused = true
        #expect(queue.next() == nil)
        queue.isPaused = false
        #expect(queue.next()?.key == 1)
    }

    /// A reference implementation in a few obvious lines.
    private struct Model {
        var waiting: [Int] = []
        var running: Set<Int> = []
        let limit: Int

        mutating func add(_ key: Int) {
            if !waiting.contains(key), !running.contains(key) { waiting.append(key) }
        }

        mutating func next() -> Int? {
            guard running.count < limit, !waiting.isEmpty else { return nil }
            running.insert(waiting[0])
            return waiting.removeFirst()
        }
    }

    @Test(arguments: 0..<50) func `The queue does what a simple one does`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = PrefetchQueue<Int>(limit: 3)
        var model = Model(limit: 3)
        var tickets: [Int: PrefetchQueue<Int>.Ticket] = [:]
        var stale: [PrefetchQueue<Int>.Ticket] = []
        for step in 0..<400 {
            let key = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                queue.add(key)
                model.add(key)
            case 8..<13:
                let start = queue.next()
                #expect(start?.key == model.next(), "seed \(seed), step \(step)")
                if let start { tickets[start.key] = start.ticket }
            case 13..<16:
                guard let ticket = tickets.removeValue(forKey: key) else { break }
                #expect(queue.finish(ticket) == key)
                model.running.remove(key)
                stale.append(ticket)
            case 16..<19:
                let ticket = queue.remove(key)
                #expect(ticket == tickets.removeValue(forKey: key), "seed \(seed), step \(step)")
                if let ticket { stale.append(ticket) }
                model.running.remove(key)
                model.waiting.removeAll { $0 == key }
            default:
                stale += tickets.values
                tickets = [:]
                queue.removeAll()
                model = Model(limit: 3)
            }
            for ticket in stale { #expect(!queue.isRunning(ticket), "seed \(seed), step \(step)") }
            #expect(queue.count == model.waiting.count + model.running.count, "seed \(seed), step \(step)")
            #expect(queue.runningCount == model.running.count, "seed \(seed), step \(step)")
        }
    }
}
