import Synchronization

/// A counter for any thread.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .acquiring) }

    @discardableResult
    func add() -> Int { number.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
