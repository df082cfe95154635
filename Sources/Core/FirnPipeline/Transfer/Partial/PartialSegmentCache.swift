import FirnData
import FoundationEssentials

/// The first bytes of bodies on disk, in a data cache. Each segment is an entry with its own checksum.
///
/// A transfer that continues from them sends `If-Range` and checks range, validator and lengths (``ResumableBody``).
/// This type checks that the segments belong to one transfer and have no gap.
struct PartialSegmentCache: Sendable {
    let cache: any DataCaching

    private enum Name {
        static let run = "run"
        static let offset = "offset"
        static let url = "url"
        static let status = "status"
        static let length = "length"
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
