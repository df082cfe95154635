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
    let isFromDisk: Bool
    /// When the source was asked and when it answered; `nil` where it was not asked now.
    let times: AnswerTimes?
    /// What was found out about bytes that were kept.
    let known: BytesFreshness?
    private let isToBeStored: Atomic<Bool>
    private let hasFrames = Atomic<Bool>(false)
    /// The chunks in one piece, once they were asked for.
    private let whole = Locked<Data?>(nil)

    /// What a picture has that was made of none.
    static let none = FetchedBytes(Data())

    /// - Parameter mayStore: whether the bytes are to be kept in the data cache once they have proved to be a picture.
    init(
        chunks: [Data], count: Int, response: DataResponse? = nil, isFromDisk: Bool = false, mayStore: Bool = false,
        times: AnswerTimes? = nil, known: BytesFreshness? = nil
    ) {
        self.times = times
        self.known = known
        self.chunks = chunks
        file = nil
        self.count = count
        self.response = response
        self.isFromDisk = isFromDisk
        isToBeStored = Atomic(mayStore)
    }

    /// Bytes in one piece.
    convenience init(_ data: Data, response: DataResponse? = nil, isFromDisk: Bool = false) {
        self.init(chunks: [data], count: data.count, response: response, isFromDisk: isFromDisk)
    }

    /// A file that nobody keeps in the data cache.
    init(_ file: OpenedFile) {
        chunks = []
        self.file = file
        count = file.status.size
        response = nil
        isFromDisk = false
        times = nil
        known = nil
        isToBeStored = Atomic(false)
    }

    /// Which state of a file these are.
    var version: SourceVersion? { file.map { SourceVersion($0.status) } }

    /// Hands everything to a session.
    func feed(_ session: any ImageDecodingSession) throws(DecodingError) {
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
        // Under the lock, so that pictures of several sizes share one copy.
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

    /// Whether they have proved to be an animation, of which a picture is only the first frame.
    var isAnimation: Bool { hasFrames.load(ordering: .relaxed) }

    func noteFrames(_ count: Int) { if count > 1 { hasFrames.store(true, ordering: .relaxed) } }

    /// Whether the bytes are still to be kept.
    var mayStore: Bool { isToBeStored.load(ordering: .relaxed) }

    /// `true` for the first caller, if the bytes are to be kept.
    func takeStore() -> Bool {
        mayStore && isToBeStored.exchange(false, ordering: .relaxed)
    }
}
