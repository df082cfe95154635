import CFirnCodecs
import FoundationEssentials

/// The bytes of an image on their way to a worker: a complete file, or pieces that the caller feeds.
struct WorkerInput {
    /// The longest file that is copied to the inbox. Sharing a descriptor costs as much as copying 64 KiB.
    private static let maximumCopied = 64 << 10
    /// The longest file that ``isSmall``.
    private static let maximumSmall = 8 << 10

    /// The number of bytes that the image has so far.
    private(set) var length = 0
    /// The complete file.
    private(set) var file: ByteChain?
    /// A file that is shared, not copied to the inbox.
    private var shared: SharedInput?
    /// True if the codec gets the file in one piece.
    private var feedsFile = false
    /// True if the worker has used up the bytes that it has.
    var wantsBytes = true
    /// The bytes fed last, and how many of them the worker has.
    private var fed: (bytes: Data, sent: Int, isLast: Bool)?

    /// True if the decode may take less time than waking a thread.
    var isSmall: Bool { length <= WorkerInput.maximumSmall }
    /// True if there are bytes that the worker does not have.
    var hasMore: Bool { fed != nil }

    /// Takes a complete file.
    mutating func take(_ file: ByteChain, feeds: Bool) throws(ImageDecodingError) {
        shared = file.count > WorkerInput.maximumCopied ? try SharedInput(file) : nil
        feedsFile = feeds
        length = file.count
        wantsBytes = false
        self.file = file
    }

    /// Takes the next bytes.
    mutating func feed(_ bytes: Data, isLast: Bool) {
        fed = (bytes, 0, isLast)
        length += bytes.count
    }

    /// Adds the file to the request that opens an image.
    func open(
        _ request: inout firn_worker_request, _ worker: WorkerConnection, _ descriptors: inout [Int32]
    ) {
        guard let file else { return }
        request.flags |= UInt32(clamping: FIRN_REQUEST_HAS_INPUT)
        if feedsFile { request.flags |= UInt32(clamping: FIRN_REQUEST_FEEDS_INPUT) }
        if let shared {
            if shared.isFile { request.flags |= UInt32(clamping: FIRN_REQUEST_INPUT_IS_FILE) }
            request.input = UInt64(clamping: shared.length)
            descriptors.append(shared.descriptor)
        } else {
            request.flags |= UInt32(clamping: FIRN_REQUEST_INPUT_IN_INBOX)
            request.input = UInt64(clamping: copy(file, to: worker))
        }
    }

    /// Copies the file to the inbox, and returns its length, at least 1.
    private func copy(_ file: ByteChain, to worker: WorkerConnection) -> Int {
        // A file that became shorter ends there, as it does when it is read.
        let length = file.forEachPiece(in: 0..<min(file.count, WorkerInput.maximumCopied)) { piece, offset in
            piece.withUnsafeBytes { worker.fillInbox(from: offset, $0) }
        }
        return max(1, length)
    }

    /// Copies the next fed bytes to the inbox, and adds them to a request.
    mutating func sendNext(_ request: inout firn_worker_request, _ worker: WorkerConnection, _ policy: WorkerPolicy) {
        // Order: bytes that the worker still reads are in the inbox.
        guard wantsBytes, let next = fed else { return }
        wantsBytes = false
        let count = min(next.bytes.count - next.sent, FIRN_ARENA_INBOX)
        let start = next.bytes.startIndex + next.sent
        next.bytes[start..<start + count].withUnsafeBytes { worker.fillInbox($0) }
        request.flags |= UInt32(clamping: FIRN_REQUEST_FEEDS)
        request.fed = UInt32(clamping: count)
        request.memory = UInt64(clamping: policy.memory(input: length))
        let isAll = next.sent + count == next.bytes.count
        if isAll, next.isLast { request.flags |= UInt32(clamping: FIRN_REQUEST_LAST) }
        fed = isAll ? nil : (next.bytes, next.sent + count, next.isLast)
    }
}
