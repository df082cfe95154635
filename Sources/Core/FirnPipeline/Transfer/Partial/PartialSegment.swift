import FirnData
import FoundationEssentials

/// Bytes of an arriving body that are to be written to disk. A later process can continue from them.
struct PartialSegment: Sendable {
    let request: DataRequest
    /// The response that the body began with.
    let response: DataResponse
    /// Identifies the transfer. Segments of two transfers are never joined.
    let run: UInt64
    /// The number of the segment, and the offset of its first byte in the body.
    let number: Int
    let offset: Int
    let chunks: [Data]
    let count: Int
}

/// A change of the first bytes of a body on disk.
indirect enum PartialPart: Sendable {
    case keep(PartialSegment)
    /// The body is complete; removes its segments.
    case drop(DataRequest)
    /// The resource no longer exists; removes the data-cache entry of the request.
    case forget
}

/// Decides when arriving bytes are written to disk, and which.
///
/// A pure value. Invariant: segments follow each other without a gap; a new body begins with a new run.
struct PartialSpill {
    /// The minimum size of a segment, and of the rest of a body that is worth one. Fewer bytes are quickly loaded.
    private static let least = 64 << 10
    /// The maximum number of bytes between two segments.
    private static let most = 1 << 20

    private var run: UInt64 = 0
    private(set) var segments = 0
    private var spilled = 0
    private var chunks = 0
    private var edition: UInt32?

    /// Skips bytes that were read from disk.
    mutating func begin(with kept: PartialBody.Kept?, chunks: Int, count: Int, edition: UInt32) {
        guard let kept, count > 0 else { return }
        (run, segments, spilled) = (kept.run, kept.segments, count)
        self.chunks = chunks
        self.edition = edition
    }

    /// Returns the segment to write now; `nil` while there are too few bytes, or if the body cannot be resumed.
    mutating func next(_ machine: TransferMachine, _ request: DataRequest?) -> PartialSegment? {
        if edition != machine.edition {
            (segments, spilled, chunks) = (0, 0, 0)
            run = UInt64.random(in: 1 ... .max)
            edition = machine.edition
        }
        let step = min(max(PartialSpill.least, machine.count / 8), PartialSpill.most)
        guard machine.count - spilled >= step, let request, let response = machine.response,
            response.expectedLength.map({ $0 - machine.count >= PartialSpill.least }) ?? true,
            ResumableBody(response, to: request) != nil
        else { return nil }
        let segment = PartialSegment(
            request: request, response: response, run: run, number: segments, offset: spilled,
            chunks: Array(machine.chunks[chunks...]), count: machine.count - spilled)
        segments += 1
        spilled = machine.count
        chunks = machine.chunks.count
        return segment
    }
}
