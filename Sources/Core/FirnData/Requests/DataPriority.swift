/// The urgency of a request, and of its transfer among others. A job takes the highest priority of all tasks that wait
/// for it.
public enum DataPriority: Int, Sendable, Comparable, CaseIterable {
    /// Work that no task waits for.
    case veryLow
    /// It may be needed later: prefetching.
    case low
    /// The default.
    case normal
    /// It is about to be seen.
    case high
    /// It is on screen now.
    case veryHigh

    /// Compares by urgency.
    public static func < (a: DataPriority, b: DataPriority) -> Bool { a.rawValue < b.rawValue }
}
