enum JobOrder: UInt8, Hashable, Sendable {
    case firstInFirstOut
    /// Newest request first, for lists that are scrolled fast.
    case lastInFirstOut
}
