import FirnData
import FirnImage
import FoundationEssentials

/// What a decode that began before its bytes were there needs from one slice to the next.
///
/// Safety: used by the one thread that runs the job at the time, as its work is.
final class ArrivingBytes {
    let transfer: BodyTransfer
    /// Which body the session was fed with, and how many of its chunks.
    private(set) var edition: UInt32 = 0
    private(set) var seen = 0
    /// Chunks that came before there was enough to tell the format by.
    private var waiting: [Data] = []
    var isFinished = false
    var hasReserved = false
    var gate = PreviewGate()

    init(_ transfer: BodyTransfer) { self.transfer = transfer }

    /// What is new.
    ///
    /// - Parameter restart: called if it belongs to another body than what was seen so far.
    func take(_ restart: () -> Void) -> BodyTransfer.Arrival {
        let arrival = transfer.arrival(after: seen, of: edition)
        if arrival.edition != edition {
            edition = arrival.edition
            seen = 0
            waiting = []
            isFinished = false
            restart()
        }
        seen += arrival.chunks.count
        return arrival
    }

    /// Whether all that the session was fed with has been dropped meanwhile.
    var isOutdated: Bool { transfer.edition != edition }

    /// Keeps chunks that no session takes yet, and returns the body's first bytes as far as there are any.
    func gather(_ chunks: [Data]) -> Data {
        waiting += chunks
        let length = ImageFormat.sniffLength
        guard let first = waiting.first else { return Data() }
        if first.count >= length { return first.prefix(length) }
        var head = Data()
        for chunk in waiting where head.count < length { head.append(chunk.prefix(length - head.count)) }
        return head
    }

    /// Hands over what was kept.
    func takeWaiting() -> [Data] {
        defer { waiting = [] }
        return waiting
    }
}
