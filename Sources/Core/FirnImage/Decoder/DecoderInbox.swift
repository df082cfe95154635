import FirnSync

/// Passes bytes and cancellation to the thread that holds the decoding turn. The lock is held for only a few
/// instructions at a time.
struct DecoderInbox: Sendable {
    /// The number of bytes received.
    private(set) var received = 0
    /// True if all bytes have been received.
    private(set) var isFinished = false
    /// True if bytes were received after ``snapshot``.
    var isStale = false
    /// The last published state.
    var snapshot = DecoderSnapshot()
    /// The flag of the running decode, if there is one.
    var running: CancellationFlag?

    /// The bytes that the session does not have yet.
    var pending: [any ByteSource] = []
    private let maximumBytes: Int

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    mutating func append(_ piece: any ByteSource) throws(ImageError) {
        if let error = snapshot.error { throw error }
        guard !isFinished else { throw ImageError(.request, at: .decoding, "bytes after the last ones were announced") }
        guard piece.count > 0 else { return }
        let (total, overflow) = received.addingReportingOverflow(piece.count)
        guard !overflow, total <= maximumBytes else {
            let error = ImageError(
                .limit, at: .decoding, "is longer than the \(maximumBytes) bytes allowed", format: snapshot.format,
                setting: "ImageLimits.maximumBytes")
            snapshot.error = error
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
    ///
    /// - Parameter yields: whether to give up if another thread decodes. Default: false.
    /// - Returns: whether the turn was taken.
    @discardableResult
    func take(yields: Bool = false) -> Bool {
        var isFree = false
        lot.park {
            isFree = !isTaken
            isTaken = true
            return isFree || (yields && isDecoding)
        }
        return isFree
    }

    /// Declares that the work until ``leave()`` may take long. Requires the turn.
    func beginDecoding() { lot.unparkAll { isDecoding = true } }

    /// Releases the turn.
    func leave() { lot.unparkAll { (isTaken, isDecoding) = (false, false) } }
}
