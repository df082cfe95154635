/// The memory pressure at one time.
package struct PressureReading: Hashable, Sendable {
    /// The share of the last ten seconds, in percent, in which some task waited for memory; `nil` if it is unknown.
    package var someStalled: Double?
    /// The same for all tasks at once, when no work was done at all.
    package var allStalled: Double?
    /// The share of the memory that is left, from 0 to 1; `nil` if it is unknown.
    package var headroom: Double?
    /// Whether the system sent a notification, because tasks waited too long.
    package var isCalled: Bool

    /// Creates a reading.
    package init(
        someStalled: Double? = nil, allStalled: Double? = nil, headroom: Double? = nil, isCalled: Bool = false
    ) {
        self.someStalled = someStalled
        self.allStalled = allStalled
        self.headroom = headroom
        self.isCalled = isCalled
    }
}
