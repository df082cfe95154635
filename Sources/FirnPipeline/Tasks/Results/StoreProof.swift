/// Bytes that the data cache is storing.
protocol StoreProof: AnyObject, Sendable {
    /// Calls `body` once the data cache finds the bytes or has rejected them; at once if no store is under way.
    func whenStored(_ body: @escaping @Sendable (StoreResult?) -> Void)
}
