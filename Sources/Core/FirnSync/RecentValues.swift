/// A small LRU cache of values that are expensive to compute, such as tables. A lookup compares the key with each one.
package struct RecentValues<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    /// The values by key, the most recently used first.
    private let known = Locked<[(key: Key, value: Value)]>([])
    private let capacity: Int

    /// - Parameter capacity: the largest number of values.
    package init(capacity: Int) { self.capacity = capacity }

    /// Returns the cached value of `key`, or caches and returns the result of `make`.
    ///
    /// - Parameter make: computes the value. Runs without the lock, so two threads may compute the same value at once;
    ///   the first one is cached.
    package func value<Failure: Error>(
        for key: Key, _ make: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let found = self[key] { return found }
        let made = try make()
        return known.withLock { known in
            if let found = RecentValues.use(key, in: &known) { return found }
            insert(made, for: key, in: &known)
            return made
        }
    }

    /// Returns the cached value of `key`; `nil` if there is none.
    package subscript(key: Key) -> Value? { known.withLock { RecentValues.use(key, in: &$0) } }

    /// Caches a value in place of an earlier one of `key`.
    package func set(_ value: Value, for key: Key) {
        known.withLock { known in
            known.removeAll { $0.key == key }
            insert(value, for: key, in: &known)
        }
    }

    private func insert(_ value: Value, for key: Key, in known: inout [(key: Key, value: Value)]) {
        known.insert((key, value), at: 0)
        if known.count > capacity { known.removeLast() }
    }

    /// Returns the value of `key` and moves it to the front; `nil` if it is not cached.
    private static func use(_ key: Key, in known: inout [(key: Key, value: Value)]) -> Value? {
        guard let index = known.firstIndex(where: { $0.key == key }) else { return nil }
        let found = known.remove(at: index)
        known.insert(found, at: 0)
        return found.value
    }
}
