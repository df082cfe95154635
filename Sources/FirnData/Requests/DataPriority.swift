/// The priority of a transfer among others on the same connection.
public enum DataPriority: Int, Sendable, Comparable, CaseIterable {
    /// No task needs it now.
    case veryLow
    /// It may be needed later.
    case low
    /// The default.
    case normal
    /// It is needed soon.
    case high
    /// It is visible.
    case veryHigh

    /// Compares by urgency.
    public static func < (a: DataPriority, b: DataPriority) -> Bool { a.rawValue < b.rawValue }
}
