/// Recent failures; until each expires, its address is not requested again.
///
/// A pure value: the caller passes the time. Failures are numbered; at capacity the lowest is dropped, by linear
/// search, since few programs have many failing addresses.
///
/// Invariants: at most ``FailureTimes/count`` entries; an expired entry is never returned.
package struct FailureMemory<Key: Hashable> {
    private struct Entry {
        let error: DataLoadingError
        let number: UInt64
        let until: Duration
        /// True if a cache had an older response at the time of the failure.
        let hasOlder: Bool
    }

    private var entries: [Key: Entry] = [:]
    private var number: UInt64 = 0
    package private(set) var times: FailureTimes

    package init(_ times: FailureTimes) { self.times = times }

    package var count: Int { entries.count }

    /// Records a failure if its kind is remembered.
    ///
    /// - Parameter hasOlder: whether a cache had an older response. Default: yes.
    package mutating func note(_ error: DataLoadingError, of key: Key, now: Duration, hasOlder: Bool = true) {
        guard times.count > 0, let time = times.time(for: error), time > .zero else { return }
        number += 1
        entries[key] = Entry(error: error, number: number, until: now + time, hasOlder: hasOlder)
        while entries.count > times.count, let first = entries.min(by: { $0.value.number < $1.value.number }) {
            entries[first.key] = nil
        }
    }

    /// Returns the remembered failure of a key.
    ///
    /// - Parameter withoutOlder: whether a failure counts only if no cache had an older response. Default: no.
    package mutating func failure(
        of key: Key, now: Duration, withoutOlder: Bool = false
    ) -> DataLoadingError? {
        guard !entries.isEmpty, let entry = entries[key] else { return nil }
        guard now < entry.until else {
            entries[key] = nil
            return nil
        }
        return withoutOlder && entry.hasOlder ? nil : entry.error
    }

    /// Forgets a key, because it has been requested again.
    package mutating func forget(_ key: Key) {
        if !entries.isEmpty { entries[key] = nil }
    }

    package mutating func removeAll() { entries = [:] }
}
