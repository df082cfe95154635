/// What becomes of bytes on their way into the data cache, and who waits for that: a value.
struct StoreWaiters {
    private var isUnderWay = false
    private var ending: StoreStage.Ending?
    private var waiting: [@Sendable (StoreStage.Ending) -> Void] = []

    /// The bytes are to be kept.
    mutating func begin() { isUnderWay = true }

    /// The bytes have been handed over, or will not be.
    ///
    /// - Returns: what is to be called with the end.
    mutating func end(_ ending: StoreStage.Ending) -> [@Sendable (StoreStage.Ending) -> Void] {
        isUnderWay = false
        self.ending = ending
        defer { waiting = [] }
        return waiting
    }

    /// Takes in what is to be called at the end.
    ///
    /// - Returns: whether that is still to come, and if not, the end; `nil` for bytes that were never to be kept.
    mutating func wait(
        _ body: @escaping @Sendable (StoreStage.Ending) -> Void
    ) -> (waits: Bool, ending: StoreStage.Ending?) {
        guard isUnderWay else { return (false, ending) }
        waiting.append(body)
        return (true, nil)
    }
}
