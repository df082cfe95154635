import FirnSync
import Synchronization

/// The bytes of a resource, as chunks or an open file, with the response of their source.
final class FetchedBytes: Sendable {
    let chunks: [Data]
    /// Read in parts on demand. There are no chunks then.
    private let file: OpenedFile?
    let count: Int
    let sharedResponse: Box<DataResponse>?
    var response: DataResponse? { sharedResponse?.value }
    /// The cache that the bytes or their image come from; `nil` for loaded bytes.
    let cacheType: ImageResponse.CacheType?
    /// The key in the data cache; `nil` for bytes from elsewhere.
    let diskKey: String?
    /// The time when the request was sent and when the response arrived; `nil` if no request was sent.
    let times: ResponseTimes?
    let known: BytesFreshness?
    /// The file of the data cache that has some of the bytes already; `nil` for none.
    let arriving: ArrivingBody?
    private let isToBeStored: Atomic<Bool>
    private let hasFrames = Atomic<Bool>(false)
    private let lock = InlineLock()
    /// The joined chunks, once requested.
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var whole: Data?
    /// The closures to call once the data cache has the bytes or has rejected them; `nil` if no store is under way.
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var waiting: [@Sendable (StoreResult) -> Void]?
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var storeResult: StoreResult?

    /// Used for images that have no source bytes.
    static let none = FetchedBytes(Data())
    /// Used for images that were made of another image in the memory cache.
    static let inMemory = FetchedBytes(chunks: [], count: 0, cacheType: .memory)

    /// - Parameter mayStore: whether the data cache stores the bytes once a decode has verified them.
    init(
        chunks: [Data], count: Int, file: OpenedFile? = nil, response: DataResponse? = nil,
        cacheType: ImageResponse.CacheType? = nil, diskKey: String? = nil, mayStore: Bool = false,
        times: ResponseTimes? = nil, known: BytesFreshness? = nil, arriving: ArrivingBody? = nil
    ) {
        self.arriving = arriving
        self.times = times
        self.known = known
        self.chunks = chunks
        self.file = file
        self.count = count
        sharedResponse = response.map { Box($0) }
        self.cacheType = cacheType
        self.diskKey = diskKey
        isToBeStored = Atomic(mayStore)
    }

    convenience init(_ data: Data) { self.init(chunks: [data], count: data.count) }

    convenience init(_ data: Data, response: DataResponse? = nil, diskKey: String, known: BytesFreshness? = nil) {
        self.init(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: diskKey, known: known)
    }

    /// A file. The data cache does not store it.
    convenience init(_ file: OpenedFile) { self.init(chunks: [], count: file.status.size, file: file) }

    /// Returns the result of an image that was made of the bytes, or of a stand-in.
    func origin(
        _ container: consuming ImageContainer, progress: ImageTask.Progress? = nil,
        bytes: FetchedBytes? = nil, proof: FetchedBytes? = nil, value: (any Sendable)? = nil
    ) -> ImageResponse.Origin {
        ImageResponse.Origin(
            container, sharedResponse, cacheType, isStale: isStale, progress: progress ?? self.progress, bytes: bytes,
            proof: proof, value: value)
    }

    /// The progress of a complete load.
    var progress: ImageTask.Progress {
        count == 0 ? .none : ImageTask.Progress(completed: count, total: count)
    }

    /// The response of the source with its times; `nil` if it has no status.
    var storedResponse: StoredResponse? { known?.stored ?? StoredResponse(response, times) }

    /// True if the bytes are used although they are stale.
    var isStale: Bool { known?.isStale ?? false }

    var isFromDisk: Bool { cacheType == .disk }

    /// The version of the file; `nil` for bytes in memory.
    var version: SourceVersion? { file.map { SourceVersion($0.status) } }

    func feed(_ session: any ImageDecodingSession) throws(ImageError) {
        if let file { try session.append(contentsOf: file) }
        for chunk in chunks { try session.append(chunk) }
        session.finish()
    }

    func feed(_ decoder: ImageDecoder) throws(ImageError) {
        if let file { try decoder.append(contentsOf: file) }
        for chunk in chunks { try decoder.append(chunk) }
        decoder.finish()
    }

    /// The first bytes, enough to recognize a format.
    func head(_ length: Int) throws(DataFileError) -> Data {
        if let file { return try file.read(at: 0, count: min(length, count)) }
        return chunks.head(length)
    }

    /// The bytes from an offset on; at most `length` of a file, which may have become shorter.
    func rest(from offset: Int, atMost length: Int) throws(DataFileError) -> Data {
        if let file { return try file.read(at: offset, count: min(length, count - offset)) }
        return joined().dropFirst(offset)
    }

    /// The chunks in one piece; copies only if there are several. Empty for a file.
    func joined() -> Data {
        if chunks.count == 1 { return chunks[0] }
        // Joined under the lock, so that images of several sizes share one copy.
        return lock.withLock {
            let data = whole ?? chunks.head(count)
            whole = data
            return data
        }
    }

    /// All bytes, to decode frames later; `nil` for a file, which can be opened again.
    var original: Data? { file == nil ? joined() : nil }

    /// True if a decode has found an animation.
    var isAnimation: Bool { hasFrames.load(ordering: .relaxed) }

    func noteFrames(_ count: Int) { if count > 1 { hasFrames.store(true, ordering: .relaxed) } }

    /// True if the bytes still have to be stored.
    var mayStore: Bool { isToBeStored.load(ordering: .relaxed) }

    /// Returns true to the first caller, if the bytes have to be stored.
    func takeStore() -> Bool {
        guard mayStore, isToBeStored.exchange(false, ordering: .relaxed) else { return false }
        lock.withLock { waiting = [] }
        return true
    }

    /// Notes the result of the store.
    ///
    /// - Returns: the closures to call with the result, without a lock.
    func noteStored(_ result: StoreResult) -> [@Sendable (StoreResult) -> Void] {
        lock.withLock {
            storeResult = result
            return waiting.take() ?? []
        }
    }

    /// Calls `body` once the data cache has the bytes or has rejected them; at once if no store is under way.
    func whenStored(_ body: @escaping @Sendable (StoreResult?) -> Void) {
        let (waits, result) = lock.withLock { () -> (Bool, StoreResult?) in
            waiting?.append(body)
            return (waiting != nil, storeResult)
        }
        if !waits { body(result) }
    }
}

extension [Data] {
    /// Returns the first bytes in one piece; copies only if they are in several.
    func head(_ length: Int) -> Data {
        guard let first else { return Data() }
        if count == 1 || first.count >= length { return first.prefix(length) }
        var head = Data(capacity: length)
        for chunk in self where head.count < length { head.append(chunk.prefix(length - head.count)) }
        return head
    }
}

enum StoreResult: Sendable {
    case stored
    /// The entry was not to be stored.
    case skipped
    case failed(DataCachingError)
}

extension StoredResponse {
    /// - Returns: `nil` without a status or times.
    init?(_ response: DataResponse?, _ times: ResponseTimes?) {
        guard let response, let times, response.status != nil else { return nil }
        self = HTTPCachePolicy.images.remembered(response, to: DataRequest(url: response.url), times)
    }
}

/// The freshness of bytes, and the response to store with them.
struct BytesFreshness: Sendable {
    /// The time when the bytes become stale, in nanoseconds since 1970; `Int64.max` for never.
    var until = Int64.max
    var mayShowStale = true
    var stored: StoredResponse?
    /// True if a cache may store them.
    var mayKeep = true
    /// True if they are used although they are no longer fresh.
    var isStale = false
}
