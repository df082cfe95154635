import FirnSync

/// Passes bytes and cancellation to the thread that holds the decoding turn. The lock is held for only a few
/// instructions at a time.
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

    mutating func finish() {
        isStale = isStale || !isFinished
        isFinished = true
    }

    /// Removes and returns the bytes added since the last call.
    mutating func takePending() -> (pieces: [DecoderPiece], isFinished: Bool) {
        defer { pending = [] }
        return (pending, isFinished)
    }

    /// Stores the state after all bytes up to the last ``takePending()``.
    ///
    /// - Parameter isStopped: whether determining that state was cancelled, so that it must be repeated.
    mutating func publish(_ next: DecoderSnapshot, isFinished worked: Bool, isStopped: Bool) {
        isStale = isStopped || !pending.isEmpty || worked != isFinished
        // The first error stays, including an error of the inbox.
        guard snapshot.error == nil else { return }
        snapshot = next
    }
}

/// A mutex for work that may take long. Threads that need only the state wait for short work but not for a decode.
///
/// Unlike ``FirnSync/Locked``, which is for a few instructions.
///
/// Safety: `isTaken` and `isDecoding` are accessed only while the lot's mutex is held.
final class DecodingTurn: @unchecked Sendable {
    private let lot = ParkingLot()
    private var isTaken = false
    /// True if the thread with the turn is decoding.
    private var isDecoding = false

    /// Blocks until the turn is free and takes it. Not recursive.
    func take() {
        lot.park {
            if isTaken { return false }
            isTaken = true
            return true
        }
    }

    /// Takes the turn unless another thread is decoding.
    ///
    /// - Returns: whether the turn was taken.
    func takeUnlessDecoding() -> Bool {
        var takes = false
        lot.park {
            takes = !isTaken
            if takes { isTaken = true }
            return takes || isDecoding
        }
        return takes
    }

    /// Declares that the work until ``leave()`` may take long. Requires the turn.
    func beginDecoding() { lot.unparkAll { isDecoding = true } }

    /// Releases the turn.
    func leave() { lot.unparkAll { (isTaken, isDecoding) = (false, false) } }
}
