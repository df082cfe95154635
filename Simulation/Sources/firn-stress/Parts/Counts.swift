import Synchronization

/// What exists of the test's own things: all of it has to be gone at the end.
final class Counts: Sendable {
    let transfers = Atomic<Int>(0)
    let sessions = Atomic<Int>(0)
    let listeners = Atomic<Int>(0)
    let started = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let paused = Atomic<Int>(0)
    let previews = Atomic<Int>(0)
    let ranges = Atomic<Int>(0)
    /// What should not have happened.
    let faults = Atomic<Int>(0)

    func fault(_ text: String) {
        if faults.add(1, ordering: .relaxed).newValue <= 5 { print("fault: \(text)") }
    }
}
