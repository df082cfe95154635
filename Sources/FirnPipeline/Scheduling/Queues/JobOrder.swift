/// The order of equally urgent jobs.
enum JobOrder: UInt8, Hashable, Sendable {
    /// Oldest request first.
    case firstInFirstOut
    /// Newest request first, for lists that are scrolled fast.
    case lastInFirstOut
}
