/// The bytes and the stop request that threads pass to the thread that holds the decoding turn. The lock is held for a
/// few instructions each time.
struct DecoderInbox: Sendable {
    /// The number of bytes received.
    private(set) var received = 0
    /// True if all bytes have been received.
    private(set) var isFinished = false
    /// True if bytes were received after ``snapshot``.
    private(set) var isStale = false
    /// The last published state.
    private(set) var snapshot = DecoderSnapshot()
    /// The flag of the running decode, if there is one.
    var running: CancellationFlag?

    private var pending: [DecoderPiece] = []
    private let maximumBytes: Int

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Adds bytes.
    mutating func append(_ piece: DecoderPiece) throws(ImageDecodingError) {
        if let error = snapshot.error { throw error }
        guard !isFinished else { throw ImageDecodingError(.request, "bytes after the last ones were announced") }
        guard piece.count > 0 else { return }
        let (total, overflow) = received.addingReportingOverflow(piece.count)
        guard !overflow, total <= maximumBytes else {
            let error = ImageDecodingError(
                .limit, "is longer than the \(maximumBytes) bytes that ImageLimits.maximumBytes allows",
                format: snapshot.format)
            snapshot.error = error
            snapshot.status = .error
            pending = []
            throw error
        }
        received = total
        pending.append(piece)
        isStale = true
    }

    /// Marks the bytes as complete.
    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        isStale = true
    }

    /// Removes and returns the bytes added since the last call.
    mutating func takePending() -> (pieces: [DecoderPiece], isFinished: Bool) {
        defer { pending = [] }
        return (pending, isFinished)
    }

    /// Stores the state after all bytes up to the last ``takePending()``.
    ///
    /// - Parameter isStopped: whether finding out that state was stopped, so that it has to be done again.
    mutating func publish(_ next: DecoderSnapshot, isFinished worked: Bool, isStopped: Bool) {
        isStale = isStopped || !pending.isEmpty || worked != isFinished
        // The first error stays, also one of the inbox.
        guard snapshot.error == nil else { return }
        snapshot = next
    }
}
