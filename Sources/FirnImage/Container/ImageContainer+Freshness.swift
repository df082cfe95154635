public import FoundationEssentials

extension ImageContainer {
    /// The time until which the image is used without asking its source again; `nil` (the default) for always.
    ///
    /// A pipeline sets it from the response, and revalidates the image afterwards. Precision: one microsecond.
    public var freshUntil: Date? {
        get { freshNanoseconds == .max ? nil : Date(timeIntervalSince1970: Double(freshNanoseconds) / 1e9) }
        set { freshNanoseconds = newValue.map(ImageContainer.nanoseconds) ?? .max }
    }

    /// Returns nanoseconds since 1970, clamped between the smallest and the largest value, which have a meaning of
    /// their own.
    private static func nanoseconds(_ date: Date) -> Int64 {
        let value = date.timeIntervalSince1970 * 1e9
        guard value > Double(Int64.min) else { return .min + 1 }
        return Int64(exactly: value.rounded()) ?? .max - 1
    }
}
