import Testing

@testable import FirnBinding
@testable import FirnPipeline

@Suite struct DeliveryQueueTests {
    private struct Item {
        var text: String
        var rank: Double?
    }

    private typealias Queue = DeliveryQueue<Int, Item>

    private func queue(_ items: [(Int, Double?)], budget: Duration = .milliseconds(4)) -> Queue {
        var queue = Queue(budget: budget)
        for (id, rank) in items { queue.add(id, Item(text: "\(id)", rank: rank)) { $0.text += $1.text } }
        return queue
    }

    /// Returns the ids delivered in a turn that begins at `start` ms, each of which takes `each` ms.
    private func turn(_ queue: inout Queue, at start: Int64, each: Int64) -> [Int] {
        var now = start * 1_000_000
        queue.beginTurn(now: now) { $0.rank }
        var ids: [Int] = []
        while let (id, _) = queue.next(now: now) {
            ids.append(id)
            now += each * 1_000_000
        }
        queue.endTurn(now: now)
        return ids
    }

    @Test func `The most visible items come first, equal ones in the order of arrival`() {
        var queue = queue([(1, 0), (2, 1), (3, 0.5), (4, 1)])
        #expect(turn(&queue, at: 0, each: 0) == [2, 4, 3, 1])
        #expect(queue.isEmpty)
    }

    @Test func `Items beyond the budget wait for the next frame`() {
        var queue = queue([(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)])
        #expect(turn(&queue, at: 0, each: 2) == [1, 2])
        #expect(turn(&queue, at: 5, each: 2) == [])
        queue.frameEnded()
        #expect(turn(&queue, at: 16, each: 2) == [3, 4])
        queue.frameEnded()
        #expect(turn(&queue, at: 32, each: 2) == [5])
    }

    @Test func `Turns of one frame share its budget`() {
        var queue = queue([(1, 1)])
        #expect(turn(&queue, at: 0, each: 3) == [1])
        for id in 2...4 { queue.add(id, Item(text: "", rank: 1)) { _, _ in } }
        #expect(turn(&queue, at: 10, each: 3) == [2])
        #expect(queue.count == 2)
    }

    @Test func `Each frame delivers at least one item`() {
        var queue = queue([(1, 1), (2, 1)], budget: .zero)
        #expect(turn(&queue, at: 0, each: 9) == [1])
        queue.frameEnded()
        #expect(turn(&queue, at: 16, each: 9) == [2])
    }

    @Test func `Later update is merged and keeps the place of the first`() {
        var queue = queue([(1, 1), (2, 1), (1, 1)])
        queue.beginTurn(now: 0) { $0.rank }
        #expect(queue.next(now: 0)?.item.text == "11")
        #expect(queue.next(now: 0)?.item.text == "2")
    }

    @Test func `Items whose receiver is gone are dropped`() {
        var queue = queue([(1, nil), (2, 1), (3, 1)])
        queue.beginTurn(now: 0) { $0.rank }
        queue.remove(3)
        #expect(queue.next(now: 0)?.id == 2)
        #expect(queue.next(now: 0) == nil)
        #expect(queue.isEmpty)
    }
}
