/// What threads leave for the one whose turn it is: bytes, and the wish to stop. Under a lock, for a few instructions.
struct DecoderInbox: Sendable {
    /// Bytes handed over in all.
    private(set) var received = 0
    /// Whether no more will come.
    private(set) var isFinished = false
    /// Whether ``snapshot`` does not tell of all that was handed over.
    private(set) var isStale = false
    /// The last state that was worked out.
    private(set) var snapshot = DecoderSnapshot()
    /// The flag of the decode under way, if there is one.
    var running: CancellationFlag?

    private var pending: [DecoderPiece] = []
    private let maximumBytes: Int

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Leaves bytes.
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

    /// Says that no more will come.
    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        isStale = true
    }

    /// The bytes left since the last time.
    mutating func takePending() -> (pieces: [DecoderPiece], isFinished: Bool) {
        defer { pending = [] }
        return (pending, isFinished)
    }

    /// Keeps what was worked out of all bytes up to the last ``takePending()``.
    mutating func publish(_ next: DecoderSnapshot, isFinished worked: Bool) {
        isStale = !pending.isEmpty || worked != isFinished
        // The first error stays, also the inbox's own.
        guard snapshot.error == nil else { return }
        snapshot = next
    }
}
