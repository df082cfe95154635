import FirnPipeline

/// What is to be handed to the drawing thread, the most visible first, and no longer in a frame than a budget allows.
///
/// A value: the caller tells the time, and when a frame is over.
///
/// Invariant: an item is handed out once, or merged into, or removed; in every frame in which there are items, at least
/// one is handed out, however long it takes.
struct DeliveryQueue<ID: Hashable, Item> {
    /// Time for deliveries within a frame.
    var budget: Duration

    private struct Entry {
        let id: ID
        var item: Item
        let arrival: Int
    }

    private var entries: [ID: Entry] = [:]
    private var arrivals = 0
    /// The entries of this turn, the next one last.
    private var turn: [ID] = []
    private var turnStart = Int64(0)
    /// Nanoseconds spent in this frame by earlier turns.
    private var spent: Int64 = 0
    private var isFresh = true

    init(budget: Duration) { self.budget = budget }

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Adds an item, or merges it into the one that waits.
    mutating func add(_ id: ID, _ item: Item, merge: (inout Item, Item) -> Void) {
        if var entry = entries[id] {
            merge(&entry.item, item)
            entries[id] = entry
        } else {
            arrivals += 1
            entries[id] = Entry(id: id, item: item, arrival: arrivals)
        }
    }

    /// Nobody wants the item any more.
    mutating func remove(_ id: ID) { entries[id] = nil }

    /// A turn begins.
    ///
    /// - Parameter rank: how visible the receiver is; `nil` if there is none any more: the item is dropped.
    mutating func beginTurn(now: Int64, rank: (Item) -> Double?) {
        turnStart = now
        var ranked: [(id: ID, rank: Double, arrival: Int)] = []
        ranked.reserveCapacity(entries.count)
        for entry in entries.values {
            if let rank = rank(entry.item) { ranked.append((entry.id, rank, entry.arrival)) }
        }
        if ranked.count != entries.count {
            let kept = Set(ranked.map(\.id))
            entries = entries.filter { kept.contains($0.key) }
        }
        ranked.sort { ($0.rank, -$0.arrival) < ($1.rank, -$1.arrival) }
        turn = ranked.map(\.id)
    }

    /// The next item of this turn; `nil` if there is none, or no time for it.
    mutating func next(now: Int64) -> (id: ID, item: Item)? {
        while let id = turn.last {
            guard entries[id] != nil else {
                turn.removeLast()
                continue
            }
            guard isFresh || .nanoseconds(spent + (now - turnStart)) < budget else { return nil }
            turn.removeLast()
            isFresh = false
            if let entry = entries.removeValue(forKey: id) { return (id, entry.item) }
        }
        return nil
    }

    /// The turn is over.
    mutating func endTurn(now: Int64) {
        spent += max(0, now - turnStart)
        turn.removeAll(keepingCapacity: true)
    }

    /// The frame has been drawn.
    mutating func frameEnded() {
        spent = 0
        isFresh = true
    }
}
