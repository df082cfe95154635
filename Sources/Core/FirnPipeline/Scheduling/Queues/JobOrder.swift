/// The order of jobs of the same level.
enum JobOrder: UInt8, Hashable, Sendable {
    /// Oldest request first.
    case firstInFirstOut
    /// Newest request first, for lists that are scrolled fast.
    case lastInFirstOut
}
