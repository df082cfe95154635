/// Observes how short the machine's memory is, for a ``MemoryBudget``.
package protocol MemoryWatching: AnyObject, Sendable {
    /// Starts observing. Called once, on the budget's first use, on any thread; must not block.
    ///
    /// - Parameter notify: called on every change with the share of its total that the budget may use, from 0.1 to 1.
    ///   Must not be called on the drawing thread.
    func start(_ notify: @escaping @Sendable (Double) -> Void)

    /// Stops observing, if it was started: the budget is deallocated. Must not block.
    func stop()
}
