import Dispatch

/// A queue of items for the drawing thread: most visible first, within a time budget per frame.
///
/// A value: the caller passes the time and reports the end of each frame.
///
/// Invariant: an item is returned once, merged, or removed. Every frame with items returns at least one, regardless of
/// the time.
struct DeliveryQueue<ID: Hashable, Item> {
    /// The time for deliveries within a frame.
    var budget: Duration

    private struct Entry {
        var item: Item
        let arrival: Int
    }

    private var entries: [ID: Entry] = [:]
    private var arrivals = 0
    /// The entries of this turn, in reverse order.
    private var turn: [ID] = []
    private var turnStart = Int64(0)
    /// The time of this frame's earlier turns, in nanoseconds.
    private var spent: Int64 = 0
    private var isFresh = true

    init(budget: Duration) { self.budget = budget }

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Adds an item or merges it into a waiting one.
    mutating func add(_ id: ID, _ item: Item, merge: (inout Item, Item) -> Void) {
        if var entry = entries[id] {
            merge(&entry.item, item)
            entries[id] = entry
        } else {
            arrivals += 1
            entries[id] = Entry(item: item, arrival: arrivals)
        }
    }

    mutating func remove(_ id: ID) { entries[id] = nil }

    /// Starts a turn.
    ///
    /// - Parameter rank: returns the visibility of the receiver; `nil` if it no longer exists and the item is dropped.
    mutating func beginTurn(now: Int64, rank: (Item) -> Double?) {
        turnStart = now
        var ranked = entries.compactMap { id, entry in
            rank(entry.item).map { (id: id, rank: $0, arrival: entry.arrival) }
        }
        if ranked.count != entries.count {
            let kept = Set(ranked.map(\.id))
            entries = entries.filter { kept.contains($0.key) }
        }
        ranked.sort { ($0.rank, -$0.arrival) < ($1.rank, -$1.arrival) }
        turn = ranked.map(\.id)
    }

    /// Removes and returns the next item of this turn; `nil` if there is none or the budget is exhausted.
    mutating func next(now: Int64) -> (id: ID, item: Item)? {
        while let id = turn.last {
            if entries[id] != nil, !isFresh, .nanoseconds(spent + (now - turnStart)) >= budget { return nil }
            turn.removeLast()
            guard let entry = entries.removeValue(forKey: id) else { continue }
            isFresh = false
            return (id, entry.item)
        }
        return nil
    }

    mutating func endTurn(now: Int64) {
        spent += max(0, now - turnStart)
        turn.removeAll(keepingCapacity: true)
    }

    /// Restores the budget after a frame.
    mutating func frameEnded() {
        spent = 0
        isFresh = true
    }
}

/// Calls the drawing thread. A toolkit supplies an implementation for its loop and frame clock; the default uses the
/// main queue.
public protocol FrameScheduling: Sendable {
    /// Calls `body` on the main actor soon. May be called on any thread.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void)

    /// Calls `body` on the main actor after the current frame has been drawn.
    @MainActor func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void)
}

/// Frames for programs without a frame clock: the main queue, at 60 frames a second.
struct MainQueueFrames: FrameScheduling {
    /// Calls `body` on the main queue.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
    }

    /// Calls `body` on the main queue a sixtieth of a second later.
    func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .microseconds(16_667)) { MainActor.assumeIsolated { body() } }
    }
}
