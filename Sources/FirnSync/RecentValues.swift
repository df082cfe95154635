/// The values used last, of those that take long to make and are needed again and again. Keeps a fixed number of them.
package struct RecentValues<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    /// The latest first.
    private let known = Locked<[(key: Key, value: Value)]>([])
    private let most: Int

    /// - Parameter most: how many values are kept. A key is compared with each of them.
    package init(most: Int) { self.most = most }

    /// Returns the value of `key`, from `make` if it is not kept.
    ///
    /// - Parameter make: returns the value. Runs outside of the lock, so two threads may make the same value. `nil` is
    ///   not kept.
    package func value<Failure: Error>(
        for key: Key, _ make: () throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        let found = known.withLock { known -> Value? in
            guard let index = known.firstIndex(where: { $0.key == key }) else { return nil }
            let found = known.remove(at: index)
            known.insert(found, at: 0)
            return found.value
        }
        if let found { return found }
        guard let made = try make() else { return nil }
        known.withLock { known in
            known.insert((key, made), at: 0)
            if known.count > most { known.removeLast() }
        }
        return made
    }
}
