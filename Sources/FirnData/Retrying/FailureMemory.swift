/// What failed lately, and until when it is not asked for again.
///
/// Data structure: a dictionary, and its keys in the order in which they were noted. A value: times are given to it.
///
/// Invariants: no more entries than ``FailureTimes/count``; an entry whose time is over is never returned.
package struct FailureMemory<Key: Hashable> {
    private struct Entry {
        let error: DataLoadingError
        let number: UInt64
        let until: Duration
    }

    private var entries: [Key: Entry] = [:]
    /// Keys in the order of their numbers; some are out of date.
    private var line: [(key: Key, number: UInt64)] = []
    private var passed = 0
    private var number: UInt64 = 0
    package private(set) var times: FailureTimes

    package init(_ times: FailureTimes) { self.times = times }

    package var count: Int { entries.count }

    /// Takes note of a failure, if it is of a kind that is remembered.
    package mutating func note(_ error: DataLoadingError, of key: Key, now: Duration) {
        guard times.count > 0, let time = times.time(for: error), time > .zero else { return }
        number += 1
        entries[key] = Entry(error: error, number: number, until: now + time)
        line.append((key, number))
        while entries.count > times.count { dropFirst() }
        if line.count > 2 * max(16, entries.count) { compact() }
    }

    /// The failure that is remembered of a key.
    package mutating func failure(of key: Key, now: Duration) -> DataLoadingError? {
        guard !entries.isEmpty, let entry = entries[key] else { return nil }
        guard now < entry.until else {
            entries[key] = nil
            return nil
        }
        return entry.error
    }

    /// Forgets a key: it has been asked for anew.
    package mutating func forget(_ key: Key) {
        if !entries.isEmpty { entries[key] = nil }
    }

    package mutating func removeAll() {
        entries = [:]
        line = []
        passed = 0
    }

    private mutating func dropFirst() {
        while passed < line.count {
            let (key, number) = line[passed]
            passed += 1
            guard entries[key]?.number == number else { continue }
            entries[key] = nil
            return
        }
    }

    private mutating func compact() {
        line = line[passed...].filter { entries[$0.key]?.number == $0.number }
        passed = 0
    }
}
