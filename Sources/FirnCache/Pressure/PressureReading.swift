/// How short memory was at one moment.
package struct PressureReading: Hashable, Sendable {
    /// Part of the last ten seconds, in per cent, in which some task waited for memory; `nil` where that is not known.
    package var someStalled: Double?
    /// The same for all tasks at once: nothing was done at all.
    package var allStalled: Double?
    /// Part of the memory that is left, from 0 to 1; `nil` where that is not known.
    package var headroom: Double?
    /// Whether the system has just called, because tasks waited for longer than agreed.
    package var isCalled: Bool

    /// A reading.
    package init(
        someStalled: Double? = nil, allStalled: Double? = nil, headroom: Double? = nil, isCalled: Bool = false
    ) {
        self.someStalled = someStalled
        self.allStalled = allStalled
        self.headroom = headroom
        self.isCalled = isCalled
    }
}
