/// The first bytes of bodies on disk, in a data cache. Each segment is an entry with its own checksum.
///
/// A transfer that continues from them sends `If-Range` and checks range, validator and lengths (``ResumableBody``).
/// This type checks that the segments belong to one transfer and have no gap.
struct PartialSegmentCache: Sendable {
    let cache: any DataCaching

    private enum Name {
        static let (run, offset, url, status, length) = ("run", "offset", "url", "status", "length")
    }

    private static let maximumSegments = 4096

    func keep(_ segment: PartialSegment, done: @escaping @Sendable (DataCachingError?) -> Void) {
        let data = segment.chunks.head(segment.count)
        var metadata = [
            Name.run: String(segment.run), Name.offset: String(segment.offset), Name.url: segment.response.url,
        ]
        metadata[Name.status] = segment.response.status.map { String($0) }
        metadata[Name.length] = segment.response.expectedLength.map { String($0) }
        let entry = DataCacheEntry(data: data, headers: segment.response.headers, metadata: metadata)
        cache.stage(entry, for: PartialSegmentCache.key(segment.request, segment.number), done: done)
    }

    /// Returns the bytes that a transfer can begin with. Does not remove them.
    func body(of request: DataRequest) -> PartialBody? {
        var chunks: [Data] = []
        var count = 0
        var first: (run: String, response: DataResponse)?
        for number in 0..<PartialSegmentCache.maximumSegments {
            guard let entry = try? cache.entry(for: PartialSegmentCache.key(request, number)),
                let run = entry.metadata[Name.run], entry.metadata[Name.offset] == String(count), !entry.data.isEmpty
            else { break }
            if let first {
                guard run == first.run else { break }
            } else {
                guard let url = entry.metadata[Name.url] else { break }
                let length = entry.metadata[Name.length].flatMap { Int($0) }
                let status = entry.metadata[Name.status].flatMap { Int($0) }
                first = (run, DataResponse(url: url, status: status, headers: entry.headers, expectedLength: length))
            }
            chunks.append(entry.data)
            count += entry.data.count
        }
        guard let first, let run = UInt64(first.run), ResumableBody(first.response, to: request) != nil,
            first.response.expectedLength.map({ count < $0 }) ?? true
        else {
            if !chunks.isEmpty { drop(request) }
            return nil
        }
        return PartialBody(chunks: chunks, count: count, response: first.response, kept: (run, chunks.count))
    }

    func drop(_ request: DataRequest) {
        for number in 0..<PartialSegmentCache.maximumSegments {
            let key = PartialSegmentCache.key(request, number)
            guard cache.contains(key) else { return }
            try? cache.remove(key)
        }
    }

    /// The key of a segment: method, address and header fields, as they are sent.
    private static func key(_ request: DataRequest, _ number: Int) -> String {
        let fields = request.headers.fields.map { "\n\($0.name.lowercased()): \($0.value)" }
        return "\(number) \(request.method) \(request.url)\(fields.joined())"
    }
}

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
