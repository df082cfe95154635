/// Turns readings of memory pressure into the usable share of a budget. A pure value, without clock or side effects.
///
/// The share falls in steps while memory is short, and grows in steps once it has not been short for some time. Between
/// the two thresholds it stays constant, so it does not oscillate. A falling average changes nothing: it reflects
/// earlier pressure that was already handled.
struct PressurePolicy {
    /// The usable share, from ``minimumShare`` to 1.
    private(set) var share = 1.0

    static let minimumShare = 0.1
    /// The time without pressure before the share grows.
    static let calmTime: Int64 = 10_000_000_000
    /// The time between two steps up.
    static let recoveryTime: Int64 = 5_000_000_000

    private var lastCut: Int64?
    private var calmSince: Int64?
    private var lastSome = 0.0

    private enum Level { case calm, between, tight, critical }

    /// Applies a reading.
    ///
    /// - Parameter moment: nanoseconds of a monotonic clock.
    mutating func take(_ reading: PressureReading, at moment: Int64) {
        let level = level(of: reading)
        lastSome = reading.someStalled ?? 0
        switch level {
        case .critical: cut(to: 0.5, every: 1_000_000_000, moment)
        case .tight: cut(to: 0.75, every: 2_000_000_000, moment)
        case .between: calmSince = nil
        case .calm: recover(moment)
        }
    }

    private func level(of reading: PressureReading) -> Level {
        let some = reading.someStalled ?? 0
        let headroom = reading.headroom ?? 1
        let isRising = some >= lastSome
        if headroom < 0.03 || isRising && (some >= 30 || reading.allStalled ?? 0 >= 5) { return .critical }
        if reading.isCalled || headroom < 0.08 || isRising && some >= 10 { return .tight }
        return some < 1 && headroom > 0.15 ? .calm : .between
    }

    private mutating func cut(to factor: Double, every pause: Int64, _ moment: Int64) {
        calmSince = nil
        if let lastCut, moment &- lastCut < pause { return }
        lastCut = moment
        share = max(PressurePolicy.minimumShare, share * factor)
    }

    private mutating func recover(_ moment: Int64) {
        guard share < 1 else { return }
        guard let since = calmSince else {
            calmSince = moment
            return
        }
        guard moment &- since >= PressurePolicy.calmTime else { return }
        share = min(1, share * 1.25)
        // The next increase is due after the recovery time.
        calmSince = moment &- PressurePolicy.calmTime &+ PressurePolicy.recoveryTime
    }
}

/// The memory pressure at one moment.
package struct PressureReading: Hashable, Sendable {
    /// The percentage of the last ten seconds in which some task waited for memory; `nil` if unknown.
    var someStalled: Double?
    /// The same for all tasks at once, when no work was done; `nil` if unknown.
    var allStalled: Double?
    /// The free share of memory, from 0 to 1; `nil` if unknown.
    var headroom: Double?
    /// True if the system sent a notification, because tasks waited too long.
    var isCalled = false
}
