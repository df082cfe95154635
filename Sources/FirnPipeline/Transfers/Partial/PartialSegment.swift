import FirnData
import FoundationEssentials

/// Bytes of a body that still arrives, on their way to the disk: so that a process that comes later can go on from
/// them.
struct PartialSegment: Sendable {
    /// What the body was asked for with.
    let request: DataRequest
    /// The answer that the body began with.
    let response: DataResponse
    /// Which transfer they are of: segments of two are never put together.
    let run: UInt64
    /// Place among the segments, and of the first byte among the body's.
    let number: Int
    let offset: Int
    let chunks: [Data]
    let count: Int
}

/// What is to be done with the first bytes of a body on disk, or with what is kept of the same request.
indirect enum PartialPart: Sendable {
    case keep(PartialSegment)
    /// The body is whole: they are of no more use.
    case drop(DataRequest)
    /// The address has no such content any more: the entry of the request goes.
    case forget
}

/// When bytes that arrive are worth writing, and which.
///
/// A pure value. Invariant: segments follow each other without a gap; a new body begins with a new run.
struct PartialSpill {
    /// Fewer bytes than these are not worth a file; so many come again in a moment.
    private static let least = 64 << 10
    /// More than these are not left to chance.
    private static let most = 1 << 20

    private var run: UInt64 = 0
    private(set) var segments = 0
    private var spilled = 0
    private var chunks = 0
    private var edition: UInt32?

    /// Bytes that came from the disk need not be written again.
    mutating func begin(with kept: PartialBody.Kept?, chunks: Int, count: Int, edition: UInt32) {
        guard let kept, count > 0 else { return }
        (run, segments, spilled) = (kept.run, kept.segments, count)
        self.chunks = chunks
        self.edition = edition
    }

    /// The bytes to write now; `nil` while there are too few, or they could not be gone on from.
    mutating func next(_ machine: TransferMachine, _ request: DataRequest?) -> PartialSegment? {
        if edition != machine.edition {
            (segments, spilled, chunks) = (0, 0, 0)
            run = UInt64.random(in: 1 ... .max)
            edition = machine.edition
        }
        let step = min(max(PartialSpill.least, machine.count / 8), PartialSpill.most)
        guard machine.count - spilled >= step, let request, let response = machine.response,
            response.expectedLength != machine.count, ResumableBody(response, to: request) != nil
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
