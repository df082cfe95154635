/// Decides which connections stay open: a value without effects.
///
/// A connection is idle until it sends a request, and after the response. When all places are taken, a new connection
/// gets the place of the one that was idle for longest, so silent clients cannot keep others out.
/// Invariant: each idle connection has one valid entry in ``line``; entries with another stamp are left-overs.
struct ConnectionLedger {
    private struct Entry {
        let number: UInt64
        let stamp: UInt64
    }

    private let most: Int
    /// The open connections; the stamp of the time since which they are idle, or `nil` for busy ones.
    private var open: [UInt64: UInt64?] = [:]
    /// Idle connections, the longest idle first.
    private var line: [Entry] = []
    private var first = 0
    private var last: UInt64 = 0

    init(most: Int) { self.most = max(1, most) }

    var count: Int { open.count }
    var busy: Int { open.values.count { $0 == nil } }

    /// The decision on a new connection.
    enum Opening: Equatable {
        case accepted(UInt64)
        /// The second one must be closed.
        case replaces(UInt64, UInt64)
        /// All others are busy.
        case refused
    }

    mutating func add() -> Opening {
        guard open.count >= most else { return .accepted(insert()) }
        guard let oldest = longestIdle() else { return .refused }
        open[oldest] = nil
        return .replaces(insert(), oldest)
    }

    mutating func begin(_ number: UInt64) {
        if open[number] != nil { open[number] = .some(nil) }
    }

    mutating func end(_ number: UInt64) {
        guard open[number] != nil else { return }
        last += 1
        open[number] = .some(last)
        line.append(Entry(number: number, stamp: last))
        compact()
    }

    mutating func remove(_ number: UInt64) { open[number] = nil }

    private mutating func insert() -> UInt64 {
        last += 1
        let number = last
        open[number] = .some(number)
        line.append(Entry(number: number, stamp: number))
        compact()
        return number
    }

    private mutating func longestIdle() -> UInt64? {
        while first < line.count {
            let entry = line[first]
            first += 1
            if isValid(entry) { return entry.number }
        }
        return nil
    }

    private func isValid(_ entry: Entry) -> Bool {
        guard let stamp = open[entry.number] else { return false }
        return stamp == entry.stamp
    }

    /// Drops left-overs once they are the larger part.
    private mutating func compact() {
        guard line.count > 64, line.count > 2 * open.count else { return }
        line = line[first...].filter { isValid($0) }
        first = 0
    }
}
