/// The items to prefetch, in the order of their requests, and the running ones: a value.
///
/// Data structure: items are numbered as they come, and start in this order. A dictionary has the number of each key,
/// and an array the key of each number from `base` on. Every event takes constant time, on average.
///
/// Invariants:
/// - a key has one number at most, and every item is waiting or running: those with numbers below `started` run;
/// - at most ``limit`` run, and none starts while ``isPaused``;
/// - a ticket names its item only until that is finished or removed: no number is used again;
/// - once nothing is left, no memory is held.
struct PrefetchQueue<Key: Hashable> {
    /// Names a started item. Ignored once the item is gone.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Most running items; at least one.
    let limit: Int
    /// While this is set, nothing starts.
    var isPaused = false
    private(set) var runningCount = 0

    private var numbers: [Key: Int] = [:]
    /// The keys of the numbers from `base` on; `nil` for items that are gone.
    private var keys = ContiguousArray<Key?>()
    private var base = 0
    /// The number of items at the front of `keys` that are gone.
    private var gone = 0
    /// The lowest number that has not started.
    private var started = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of waiting and running items.
    var count: Int { numbers.count }
    var isEmpty: Bool { numbers.isEmpty }

    mutating func reserve(_ number: Int) {
        // Reserving for a few items would grow the storage again for the next few.
        guard number > numbers.count else { return }
        numbers.reserveCapacity(numbers.count + number)
        keys.reserveCapacity(keys.count + number)
    }

    /// Adds an item at the end; does nothing if it already waits or runs.
    mutating func add(_ key: Key) {
        // Finds or stores the number in one lookup.
        if PrefetchQueue.note(&numbers[key, default: -1], base + keys.count) { keys.append(key) }
    }

    /// Stores a number unless there is one. Returns whether it was stored.
    private static func note(_ noted: inout Int, _ number: Int) -> Bool {
        guard noted < 0 else { return false }
        noted = number
        return true
    }

    /// Marks the next item as running and returns it; `nil` if none may start.
    mutating func next() -> (ticket: Ticket, key: Key)? {
        guard !isPaused, runningCount < limit else { return nil }
        while started < base + keys.count {
            let number = started
            started += 1
            guard let key = keys[number - base] else { continue }
            runningCount += 1
            return (Ticket(number: number), key)
        }
        return nil
    }

    /// Ends a running item.
    ///
    /// - Returns: its key; `nil` if it was removed before.
    mutating func finish(_ ticket: Ticket) -> Key? {
        guard isRunning(ticket), let key = keys[ticket.number - base] else { return nil }
        numbers[key] = nil
        release(ticket.number)
        return key
    }

    func isRunning(_ ticket: Ticket) -> Bool {
        ticket.number >= base && ticket.number < started && keys[ticket.number - base] != nil
    }

    /// Removes an item.
    ///
    /// - Returns: its ticket if it was running, so that its work can be stopped.
    mutating func remove(_ key: Key) -> Ticket? {
        guard let number = numbers.removeValue(forKey: key) else { return nil }
        let isRunning = number < started
        release(number)
        return isRunning ? Ticket(number: number) : nil
    }

    /// Removes all items. Their tickets are invalid afterwards, so that the ends of running ones are ignored.
    mutating func removeAll() {
        runningCount = 0
        giveBack()
    }

    private mutating func release(_ number: Int) {
        if number < started { runningCount -= 1 }
        guard !numbers.isEmpty else { return giveBack() }
        keys[number - base] = nil
        while gone < keys.count, keys[gone] == nil { gone += 1 }
        guard gone > keys.count / 2 else { return }
        keys.removeFirst(gone)
        base += gone
        gone = 0
        started = max(started, base)
    }

    private mutating func giveBack() {
        base += keys.count
        (numbers, keys, gone, started) = ([:], [], 0, base)
    }
}
