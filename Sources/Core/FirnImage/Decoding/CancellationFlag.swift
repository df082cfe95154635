import Synchronization

/// A flag that tells work on another thread to stop. Once set, it stays set.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a flag that is not set.
    public init() {}

    /// True if the work has to stop. Cheap enough to check for every group of rows.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
