import Synchronization

/// A transfer that is created on first use. It can be paused or cancelled before it begins.
///
/// Invariant: once set, the reference never changes; `deinit` releases it.
struct LazyTransfer: ~Copyable, Sendable {
    private let reference = Atomic<Unmanaged<BodyTransfer>?>(nil)

    deinit { reference.load(ordering: .acquiring)?.release() }

    /// The transfer, if it was created.
    var existing: BodyTransfer? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// Returns the transfer and creates it if needed. If two threads create it at once, both get the same one.
    borrowing func get() -> BodyTransfer {
        if let existing { return existing }
        let new = Unmanaged.passRetained(BodyTransfer())
        let (isFirst, other) = reference.compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !isFirst, let other else { return new.takeUnretainedValue() }
        new.release()
        return other.takeUnretainedValue()
    }
}
