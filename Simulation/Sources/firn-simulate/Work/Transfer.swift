/// The state of a body in transit, as `BodyTransfer` of the engine has it.
struct Transfer {
    /// The way in which the source sends the body.
    enum Fate: Equatable {
        case whole
        /// The connection breaks, or the announced length is wrong.
        case breaks(at: Int)
    }

    /// The size of the body in bytes.
    var total: Int
    /// The size that the source announces.
    var expected: Int?
    var fate = Fate.whole
    /// True if a range request can continue the body.
    var isResumable = true
    /// True if the response to a range request has another body, so that the transfer is restarted.
    var lies = false
    /// True if the bytes are available at once, as from a loader without a network.
    var isImmediate = false

    /// Bytes that the engine has received.
    var received = 0 { didSet { if received > 0 { hasReceived = true } } }
    /// True if any byte has been received, of this body or of one that was dropped.
    private(set) var hasReceived = false
    /// Bytes taken over from another transfer.
    var inherited = 0
    /// Bytes reported to the table.
    var reported = 0
    /// True if the loader was called. Before that, other threads may already pause or resume the transfer.
    var hasBegun = false
    var hasResponded = false
    var isReading = true
    /// The number of the latest order or resumption that took effect.
    var number: UInt64 = 0
    /// The connection is closed, the bytes are kept.
    var isDetached = false
    var isOver = false
    var flow: Flow?
    /// The number of the latest request; responses to earlier ones are ignored.
    var epoch = 0
}
