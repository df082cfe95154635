import FirnHTTP
import Testing

@Suite("Places per host")
struct HostSlotsTests {
    @Test func `The first transfers start, others follow in order, hosts are independent`() {
        var slots = HostSlots<String, Int>(limit: 2)
        #expect(slots.enter("a", 1) == nil)
        #expect(slots.enter("a", 2) == nil)
        #expect(slots.enter("a", 3) != nil)
        #expect(slots.enter("a", 4) != nil)
        #expect(slots.enter("b", 5) == nil)
        #expect(slots.leave("a") == 3)
        #expect(slots.leave("a") == 4)
        #expect(slots.leave("a") == nil)
        #expect(slots.count("a") == (1, 0))
    }

    @Test func `A withdrawn waiter is skipped`() throws {
        var slots = HostSlots<String, Int>(limit: 1)
        #expect(slots.enter("a", 1) == nil)
        let ticket = slots.enter("a", 2)
        let second = try #require(ticket)
        #expect(slots.enter("a", 3) != nil)
        slots.withdraw(second)
        #expect(slots.leave("a") == 3)
    }

    @Test func `A transfer that returns to a full host keeps others waiting`() {
        var slots = HostSlots<String, Int>(limit: 1)
        #expect(slots.enter("a", 1) == nil)
        #expect(slots.enter("a", 2) != nil)
        #expect(slots.leave("a") == 2)  // 1 pauses
        slots.reenter("a")  // 1 resumes
        #expect(slots.enter("a", 3) != nil)
        #expect(slots.leave("a") == nil)
        #expect(slots.leave("a") == 3)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `In any order of events no item is lost, started twice, or started over the limit`(seed: UInt64) {
        var random = seed &* 6_364_136_223_846_793_005 &+ 1
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % UInt64(bound))
        }
        let limit = 1 + next(4)
        var slots = HostSlots<Int, Int>(limit: limit)
        var running: Set<Int> = []
        var waiting: [Int: Int] = [:]
        for waiter in 0..<200 {
            switch next(3) {
            case 0, 1:
                if let ticket = slots.enter(0, waiter) { waiting[waiter] = ticket } else { running.insert(waiter) }
            case _ where !running.isEmpty && next(2) == 0:
                running.removeFirst()
                if let started = slots.leave(0) {
                    #expect(waiting.keys.min() == started)
                    waiting[started] = nil
                    running.insert(started)
                }
            default:
                guard let (waiter, ticket) = waiting.min(by: { $0.key < $1.key }) else { continue }
                slots.withdraw(ticket)
                waiting[waiter] = nil
            }
            #expect(slots.count(0) == (running.count, waiting.count))
            #expect(running.count <= limit && (waiting.isEmpty || running.count == limit))
        }
    }

    @Test func `A limit for all hosts holds, and the longest-waiting transfer is next`() {
        var slots = HostSlots<String, Int>(limit: 2, total: 3)
        #expect(slots.enter("a", 1) == nil && slots.enter("a", 2) == nil && slots.enter("b", 3) == nil)
        #expect(slots.enter("c", 4) != nil && slots.enter("a", 5) != nil && slots.enter("b", 6) != nil)
        #expect(slots.leave("b") == 4)
        #expect(slots.leave("a") == 5)
        #expect(slots.leave("c") == 6)
        #expect(slots.leave("a") == nil && slots.leave("a") == nil && slots.leave("b") == nil)
        #expect(slots.enter("d", 7) == nil)
    }

    @Test func `Idle time counts from the last sign of life, and not while stopped`() {
        let start: Int64 = 1_000
        var watch = IdleWatch(limit: 100)
        #expect(watch.deadline == nil)
        watch.touch(start)
        #expect(watch.deadline == start + 100)
        watch.touch(start + 40)
        #expect(watch.deadline == start + 140)
        watch.stop()
        #expect(watch.deadline == nil)
    }
}
