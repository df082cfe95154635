/// The items to prefetch, in the order of their requests, and the running ones: a value.
///
/// Data structure: slots, the waiting ones linked in order, and a dictionary from key to slot. Every event takes
/// constant time.
///
/// Invariants:
/// - a key is in one slot at most, and every filled slot is waiting or running;
/// - at most ``limit`` run, and none starts while ``isPaused``;
/// - a ticket names its slot's item only until that is finished or removed;
/// - once nothing is left, no memory is held.
struct PrefetchQueue<Key: Hashable> {
    /// Names a started item. Ignored once the item is gone.
    struct Ticket: Hashable, Sendable {
        fileprivate let slot: Int32
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var key: Key?
        var next: Int32 = -1
        var previous: Int32 = -1
        var generation: UInt32 = 0
        var isRunning = false
    }

    /// Most running items; at least one.
    let limit: Int
    /// While this is set, nothing starts.
    var isPaused = false
    private(set) var runningCount = 0

    private var slots = ContiguousArray<Slot>()
    private var places: [Key: Int32] = [:]
    private var first: Int32 = -1
    private var last: Int32 = -1
    /// Free slots, linked by `next`.
    private var free: Int32 = -1
    /// Increases whenever a slot is freed, so that no two items of a slot have the same generation.
    private var generation: UInt32 = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of waiting and running items.
    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    mutating func reserve(_ number: Int) {
        // Reserving for a few items would grow the storage again for the next few.
        guard number > places.count else { return }
        places.reserveCapacity(places.count + number)
        slots.reserveCapacity(places.count + number)
    }

    /// Adds an item at the end; does nothing if it already waits or runs.
    mutating func add(_ key: Key) {
        let (place, isNew) = slot(of: key)
        guard isNew else { return }
        slots[Int(place)].previous = last
        if last >= 0 { slots[Int(last)].next = place } else { first = place }
        last = place
    }

    /// Marks the next item as running and returns it; `nil` if none may start.
    mutating func next() -> (ticket: Ticket, key: Key)? {
        guard !isPaused, runningCount < limit, first >= 0, let key = slots[Int(first)].key else { return nil }
        let place = first
        unlink(place)
        slots[Int(place)].isRunning = true
        runningCount += 1
        return (Ticket(slot: place, generation: slots[Int(place)].generation), key)
    }

    /// Ends a running item.
    ///
    /// - Returns: its key; `nil` if it was removed before.
    mutating func finish(_ ticket: Ticket) -> Key? {
        guard isRunning(ticket), let key = slots[Int(ticket.slot)].key else { return nil }
        places[key] = nil
        release(ticket.slot)
        return key
    }

    func isRunning(_ ticket: Ticket) -> Bool {
        guard slots.indices.contains(Int(ticket.slot)) else { return false }
        let slot = slots[Int(ticket.slot)]
        return slot.isRunning && slot.generation == ticket.generation
    }

    /// Removes an item.
    ///
    /// - Returns: its ticket if it was running, so that its work can be stopped.
    mutating func remove(_ key: Key) -> Ticket? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        guard slots[Int(place)].isRunning else {
            unlink(place)
            release(place)
            return nil
        }
        let ticket = Ticket(slot: place, generation: slots[Int(place)].generation)
        release(place)
        return ticket
    }

    /// Removes all items. Their tickets are invalid afterwards, so that the ends of running ones are ignored.
    mutating func removeAll() {
        places = [:]
        runningCount = 0
        giveBack()
    }

    // MARK: Slots

    private mutating func slot(of key: Key) -> (Int32, isNew: Bool) {
        let place = free >= 0 ? free : Int32(truncatingIfNeeded: slots.count)
        // Finds or stores the slot in one look-up.
        let found = PrefetchQueue.note(&places[key, default: -1], place)
        guard found < 0 else { return (found, false) }
        if free >= 0 {
            free = slots[Int(place)].next
            slots[Int(place)] = Slot(key: key, generation: generation)
        } else {
            slots.append(Slot(key: key, generation: generation))
        }
        return (place, true)
    }

    /// Stores a slot unless there is one. Returns the slot before; negative if there was none.
    private static func note(_ noted: inout Int32, _ place: Int32) -> Int32 {
        defer { if noted < 0 { noted = place } }
        return noted
    }

    private mutating func unlink(_ place: Int32) {
        let (next, previous) = (slots[Int(place)].next, slots[Int(place)].previous)
        if previous >= 0 { slots[Int(previous)].next = next } else { first = next }
        if next >= 0 { slots[Int(next)].previous = previous } else { last = previous }
        slots[Int(place)].next = -1
        slots[Int(place)].previous = -1
    }

    private mutating func release(_ place: Int32) {
        if slots[Int(place)].isRunning { runningCount -= 1 }
        guard !places.isEmpty else { return giveBack() }
        generation &+= 1
        slots[Int(place)] = Slot(next: free)
        free = place
    }

    private mutating func giveBack() {
        generation &+= 1
        slots = []
        places = [:]
        (first, last, free) = (-1, -1, -1)
    }
}
