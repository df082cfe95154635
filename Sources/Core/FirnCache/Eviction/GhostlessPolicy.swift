/// A policy that remembers nothing of the slots that it does not hold.
protocol GhostlessPolicy: EvictionPolicy {
    /// The held slots.
    var sizes: SlotSizes { get }
}

extension GhostlessPolicy {
    var bytes: Int { sizes.total }

    func contains(_ slot: Int32) -> Bool { sizes.contains(slot) }

    func knows(_ slot: Int32) -> Bool { contains(slot) }
}
