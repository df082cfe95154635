import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

/// The bytes of a resource, as a chain of chunks or an open file, with what their source said.
final class FetchedBytes: Sendable {
    let chunks: [Data]
    /// Read as far as a decoder needs it; there are no chunks then.
    private let file: OpenedFile?
    let count: Int
    let response: DataResponse?
    /// The cache that they, or the image that stands for them, come from; `nil` where they were loaded.
    let cacheType: ImageResponse.CacheType?
    /// The key of the data cache's entry that they are; `nil` for bytes that are from elsewhere.
    let diskKey: String?
    /// When the source was asked and when it answered; `nil` where it was not asked now.
    let times: AnswerTimes?
    /// What was found out about bytes that were kept.
    let known: BytesFreshness?
    private let isToBeStored: Atomic<Bool>
    private let hasFrames = Atomic<Bool>(false)
    /// The chunks in one piece, once they were asked for.
    private let whole = Locked<Data?>(nil)
    private let keepingLock = InlineLock()
    // Safety: touched only while `keepingLock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var keeping = StoreWaiters()

    /// What an image has that was made of no bytes.
    static let none = FetchedBytes(Data())
    /// What an image has that was made of another one in the memory cache.
    static let inMemory = FetchedBytes(chunks: [], count: 0, cacheType: .memory)

    /// - Parameter mayStore: whether the bytes are to be kept in the data cache once they have proved to be an image.
    init(
        chunks: [Data], count: Int, response: DataResponse? = nil, cacheType: ImageResponse.CacheType? = nil,
        diskKey: String? = nil, mayStore: Bool = false, times: AnswerTimes? = nil, known: BytesFreshness? = nil
    ) {
        self.times = times
        self.known = known
        self.chunks = chunks
        file = nil
        self.count = count
        self.response = response
        self.cacheType = cacheType
        self.diskKey = diskKey
        isToBeStored = Atomic(mayStore)
    }

    /// Bytes in one piece.
    convenience init(_ data: Data) { self.init(chunks: [data], count: data.count) }

    /// Bytes of the data cache's entry of a key.
    convenience init(_ data: Data, response: DataResponse? = nil, diskKey: String, known: BytesFreshness? = nil) {
        self.init(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: diskKey, known: known)
    }

    /// A file that nobody keeps in the data cache.
    init(_ file: OpenedFile) {
        chunks = []
        self.file = file
        count = file.status.size
        response = nil
        cacheType = nil
        diskKey = nil
        times = nil
        known = nil
        isToBeStored = Atomic(false)
    }

    /// All of them have come.
    var progress: ImageTask.Progress {
        count == 0 ? .none : ImageTask.Progress(completed: count, total: count)
    }

    /// Whether the data cache had them.
    var isFromDisk: Bool { cacheType == .disk }

    /// Which state of a file these are.
    var version: SourceVersion? { file.map { SourceVersion($0.status) } }

    /// Hands everything to a session.
    func feed(_ session: any ImageDecodingSession) throws(ImageDecodingError) {
        if let file { try session.append(contentsOf: FileByteSource(file)) }
        for chunk in chunks { try session.append(chunk) }
        session.finish()
    }

    /// The first bytes, enough to tell a format by.
    func head(_ length: Int) throws(FileError) -> Data {
        if let file { return try file.read(at: 0, count: min(length, count)) }
        guard let first = chunks.first else { return Data() }
        if chunks.count == 1 || first.count >= length { return first.prefix(length) }
        var head = Data(capacity: length)
        for chunk in chunks where head.count < length { head.append(chunk.prefix(length - head.count)) }
        return head
    }

    /// All bytes of the chunks in one piece; copies only where there are several. None of a file.
    func joined() -> Data {
        if chunks.count == 1 { return chunks[0] }
        // Under the lock, so that images of several sizes share one copy.
        return whole.withLock { whole in
            if let whole { return whole }
            var data = Data(capacity: count)
            for chunk in chunks { data.append(chunk) }
            whole = data
            return data
        }
    }

    /// All bytes, for frames that are decoded later; `nil` for a file, which can be opened again.
    var original: Data? { file == nil ? joined() : nil }

    /// Whether they have proved to be an animation, of which an image is only the first frame.
    var isAnimation: Bool { hasFrames.load(ordering: .relaxed) }

    func noteFrames(_ count: Int) { if count > 1 { hasFrames.store(true, ordering: .relaxed) } }

    /// Whether the bytes are still to be kept.
    var mayStore: Bool { isToBeStored.load(ordering: .relaxed) }

    /// `true` for the first caller, if the bytes are to be kept.
    func takeStore() -> Bool {
        guard mayStore, isToBeStored.exchange(false, ordering: .relaxed) else { return false }
        keepingLock.withLock { keeping.begin() }
        return true
    }

    /// Takes note of what has become of the bytes that were to be kept.
    ///
    /// - Returns: what is to be called with that, without a lock.
    func noteKept(_ ending: StoreStage.Ending) -> [@Sendable (StoreStage.Ending) -> Void] {
        keepingLock.withLock { keeping.end(ending) }
    }

    /// Calls `body` once the data cache finds the bytes, or does not take them: at once if they are not on their way
    /// there.
    func whenKept(_ body: @escaping @Sendable (StoreStage.Ending?) -> Void) {
        let (waits, ending) = keepingLock.withLock { keeping.wait(body) }
        if !waits { body(ending) }
    }
}
