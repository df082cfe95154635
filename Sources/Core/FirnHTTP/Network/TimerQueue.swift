/// Works that are due at moments of the monotonic clock, in nanoseconds.
///
/// A heap by moment. Cancelled entries stay until their moment, without their work.
struct TimerQueue {
    typealias Ticket = UInt64

    private var heap: [(moment: Int64, ticket: Ticket)] = []
    private var works: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0

    /// The moment of the next work, or of one that was cancelled; `nil` for none.
    var next: Int64? { heap.first?.moment }

    mutating func add(_ moment: Int64, _ work: @escaping () -> Void) -> Ticket {
        lastTicket &+= 1
        works[lastTicket] = work
        heap.append((moment, lastTicket))
        rise(heap.count - 1)
        return lastTicket
    }

    mutating func cancel(_ ticket: Ticket) {
        works[ticket] = nil
        if heap.count > 64, heap.count > works.count * 2 { removeCancelled() }
    }

    /// Takes the next work that is due. One at a time, since each may add and cancel others.
    mutating func take(until now: Int64) -> (() -> Void)? {
        while let first = heap.first, first.moment <= now {
            removeFirst()
            if let work = works.removeValue(forKey: first.ticket) { return work }
        }
        return nil
    }

    private mutating func removeCancelled() {
        heap.removeAll { works[$0.ticket] == nil }
        // A sorted array is a heap.
        heap.sort { $0.moment < $1.moment }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while index * 2 + 1 < heap.count {
            var child = index * 2 + 1
            if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
            guard heap[child].moment < heap[index].moment else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}
