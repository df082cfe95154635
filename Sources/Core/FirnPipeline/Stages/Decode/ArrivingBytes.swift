import FirnImage
import FoundationEssentials

/// The state of a decode of arriving bytes, from one slice to the next.
///
/// Safety: used only by the thread that runs the job.
final class ArrivingBytes {
    let transfer: BodyTransfer
    /// The edition of the bytes in the session, and the number of its chunks.
    private(set) var edition: UInt32 = 0
    private(set) var seen = 0
    /// Chunks that arrived before the format was recognized.
    private var waiting: [Data] = []
    var isFinished = false
    /// True if the decode starts over once all bytes have arrived, because those so far are damaged.
    private(set) var awaitsEnd = false
    var hasReserved = false
    var gate = PreviewGate()

    init(_ transfer: BodyTransfer) { self.transfer = transfer }

    /// Returns the bytes since the last call.
    ///
    /// - Parameter restart: called if they belong to another body than the earlier ones.
    func take(_ restart: () -> Void) -> BodyTransfer.Arrival {
        let arrival = transfer.arrival(after: seen, of: edition)
        if arrival.edition != edition {
            edition = arrival.edition
            seen = 0
            waiting = []
            isFinished = false
            awaitsEnd = false
            restart()
        }
        seen += arrival.chunks.count
        return arrival
    }

    /// Drops the bytes of the session. The next session gets all bytes, once the last one has arrived.
    func awaitEnd() {
        awaitsEnd = true
        seen = 0
        waiting = []
    }

    /// True if the transfer has dropped the bytes in the session.
    var isOutdated: Bool { transfer.edition != edition }

    /// Stores chunks until there is a session, and returns the first bytes of the body.
    func gather(_ chunks: [Data]) -> Data {
        waiting += chunks
        return waiting.head(ImageFormat.sniffLength)
    }

    func takeWaiting() -> [Data] {
        defer { waiting = [] }
        return waiting
    }
}
