/// Watches how short a machine's memory is, for a ``MemoryBudget``.
package protocol MemoryWatching: AnyObject, Sendable {
    /// Begins to watch. Called once, when the budget is first used, on any thread; must not block.
    ///
    /// - Parameter tell: to be called, not on a thread that draws, with the share of its total that the budget may use, from
    ///   0.1 to 1, whenever that changes.
    func start(_ tell: @escaping @Sendable (Double) -> Void)

    /// Ends the watch, if it was started: the budget is gone. Must not block.
    func stop()
}
