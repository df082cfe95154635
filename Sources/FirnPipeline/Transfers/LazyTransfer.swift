import Synchronization

/// A transfer that is created when it is first needed. Orders to pause or cancel it may come before it begins.
///
/// Invariant: once set, the reference never changes, and it is released with this value.
struct LazyTransfer: ~Copyable, Sendable {
    private let reference = Atomic<Unmanaged<BodyTransfer>?>(nil)

    deinit { reference.load(ordering: .acquiring)?.release() }

    /// The transfer, if there is one already.
    var existing: BodyTransfer? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// The transfer. If two threads create it at once, both get the same.
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
