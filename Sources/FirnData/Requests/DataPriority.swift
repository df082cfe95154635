/// The priority of a transfer among others on the same connection.
public enum DataPriority: Int, Sendable, Comparable, CaseIterable {
    /// No task waits for it.
    case veryLow
    /// It may be wanted later.
    case low
    /// The default.
    case normal
    /// It is wanted soon.
    case high
    /// It is visible.
    case veryHigh

    /// By urgency.
    public static func < (a: DataPriority, b: DataPriority) -> Bool { a.rawValue < b.rawValue }
}
