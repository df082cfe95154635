/// The state of a body on its way, as `Transfer` has it in the engine.
struct Transfer {
    /// What becomes of it at the source.
    enum Fate: Equatable {
        case whole
        /// The connection breaks, or the length proves wrong.
        case breaks(at: Int)
    }

    /// Bytes of the body.
    var total: Int
    /// Bytes that the source says there are.
    var expected: Int?
    var fate = Fate.whole
    /// Whether a range request can bring the rest.
    var isResumable = true
    /// Whether the answer to a range request is a lie, so that all begins anew.
    var lies = false
    /// Whether the bytes are there at once, as from a loader without a network.
    var isImmediate = false

    /// Bytes that the engine has.
    var received = 0
    /// Bytes that another transfer has left.
    var inherited = 0
    /// Bytes that the table was told of.
    var reported = 0
    /// The loader has been asked; before that, orders to pause and to go on may come already, from other threads.
    var hasBegun = false
    var hasAnswered = false
    var isReading = true
    /// Number of the latest order or resumption that counted.
    var number: UInt64 = 0
    /// The connection is given up, the bytes are kept.
    var isDetached = false
    var isOver = false
    var flow: Flow?
    /// Which of several answers counts.
    var epoch = 0
}
