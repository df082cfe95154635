import Synchronization

/// Counts the living objects of the test. All of these counts must be zero at the end.
final class Counts: Sendable {
    let transfers = Atomic<Int>(0)
    let sessions = Atomic<Int>(0)
    let listeners = Atomic<Int>(0)
    let started = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let paused = Atomic<Int>(0)
    let previews = Atomic<Int>(0)
    let ranges = Atomic<Int>(0)
    /// Failed checks.
    let faults = Atomic<Int>(0)

    func fault(_ text: String) {
        if faults.add(1, ordering: .relaxed).newValue <= 5 { print("fault: \(text)") }
    }
}
