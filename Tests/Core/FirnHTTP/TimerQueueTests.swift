import Testing

@testable import FirnHTTP

@Suite("Works that are due at moments")
struct TimerQueueTests {
    @Test func `Works are taken in the order of their moments, and not before`() {
        var queue = TimerQueue()
        var done: [Int64] = []
        for moment in [5, 1, 4, 1, 3, 9, 2] as [Int64] { _ = queue.add(moment) { done.append(moment) } }
        #expect(queue.next == 1)
        while let work = queue.take(until: 4) { work() }
        #expect(done == [1, 1, 2, 3, 4] && queue.next == 5)
        while let work = queue.take(until: .max) { work() }
        #expect(done == [1, 1, 2, 3, 4, 5, 9] && queue.next == nil)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Added and cancelled at random, each work runs once or never`(seed: UInt64) {
        var state = seed &+ 1
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var queue = TimerQueue()
        var open: [TimerQueue.Ticket: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<4000 {
            switch random(4) {
            case 0, 1:
                let moment = now + Int64(random(1000))
                open[queue.add(moment) {}] = moment
            case 2:
                guard let ticket = open.keys.min() else { continue }
                queue.cancel(ticket)
                open[ticket] = nil
            default:
                now += Int64(random(100))
                let due = open.filter { $0.value <= now }
                for ticket in due.keys { open[ticket] = nil }
                var taken = 0
                while queue.take(until: now) != nil { taken += 1 }
                #expect(taken == due.count)
            }
        }
    }
}
