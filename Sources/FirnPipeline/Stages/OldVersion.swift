import Synchronization

/// The images that were made of the bytes that a reload replaces. Shared by the jobs of the reload, of which the first
/// that ends with new bytes removes them.
final class OldVersion: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Returns true to the first caller.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
