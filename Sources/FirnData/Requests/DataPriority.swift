/// How urgent a transfer is, for those who carry it: which of several goes first on one line.
public enum DataPriority: Int, Sendable, Comparable, CaseIterable {
    /// Nobody waits for it.
    case veryLow
    /// It may be wanted later.
    case low
    /// The default.
    case normal
    /// It is wanted soon.
    case high
    /// Somebody looks at the place where it will be shown.
    case veryHigh

    /// By urgency.
    public static func < (a: DataPriority, b: DataPriority) -> Bool { a.rawValue < b.rawValue }
}
