public import FoundationEssentials

extension ImageContainer {
    /// Until when the image serves without its source being asked again; `nil`, the default, for always.
    ///
    /// A pipeline sets it as the source says, and asks the source again for an image whose time is over. Kept to a microsecond.
    public var freshUntil: Date? {
        get { freshNanoseconds == .max ? nil : Date(timeIntervalSince1970: Double(freshNanoseconds) / 1e9) }
        set { freshNanoseconds = newValue.map(ImageContainer.nanoseconds) ?? .max }
    }

    /// Nanoseconds since 1970, held between the first and the last moment that stand for themselves.
    private static func nanoseconds(_ date: Date) -> Int64 {
        let value = date.timeIntervalSince1970 * 1e9
        guard value > Double(Int64.min) else { return .min + 1 }
        return Int64(exactly: value.rounded()) ?? .max - 1
    }
}
