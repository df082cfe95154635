/// Future events ordered by time; events at the same time keep their order of insertion.
///
/// Data structure: a binary heap of small records; the events themselves stay in fixed slots.
struct EventQueue<Event> {
    private struct Entry {
        let time: Moment
        let order: UInt64
        let slot: Int32
    }

    private var heap: [Entry] = []
    private var slots: [Event?] = []
    private var free: [Int32] = []
    private var order: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    var firstTime: Moment? { heap.first?.time }

    mutating func add(_ event: Event, at time: Moment) {
        let slot: Int32
        if let unused = free.popLast() {
            slot = unused
            slots[Int(slot)] = event
        } else {
            slot = Int32(slots.count)
            slots.append(event)
        }
        order += 1
        heap.append(Entry(time: time, order: order, slot: slot))
        rise(heap.count - 1)
    }

    mutating func takeFirst() -> (time: Moment, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        guard let event = slots[Int(first.slot)].take() else { return nil }
        free.append(first.slot)
        return (first.time, event)
    }

    private func precedes(_ a: Int, _ b: Int) -> Bool {
        heap[a].time != heap[b].time ? heap[a].time < heap[b].time : heap[a].order < heap[b].order
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, precedes(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
