/// Which of equally urgent jobs comes first.
enum JobOrder: UInt8, Hashable, Sendable {
    /// In the order in which they were asked for.
    case firstInFirstOut
    /// What was asked for last: for lists that are scrolled fast.
    case lastInFirstOut
}
