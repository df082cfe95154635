import Synchronization

/// Tells work on another thread to stop. Once set it stays set.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a flag that is not set.
    public init() {}

    /// Whether the work is to stop; cheap enough to ask for every row group.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to stop.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
