/// The urgency of a request and of its transfer. A job has the highest priority of the tasks that wait for it.
public enum DataPriority: Int, Sendable, Comparable, CaseIterable {
    /// Work that no task waits for.
    case veryLow
    /// May be needed later: prefetching.
    case low
    /// The default.
    case normal
    /// Soon to be visible.
    case high
    /// On screen now.
    case veryHigh

    /// Compares by urgency.
    public static func < (a: DataPriority, b: DataPriority) -> Bool { a.rawValue < b.rawValue }
}
