import FirnData

/// The clock by which results age.
package enum ServeClock {
    /// The seconds since 1970.
    @Sendable package static func seconds() -> Int { Int(clamping: Duration.sinceEpoch().components.seconds) }
}
