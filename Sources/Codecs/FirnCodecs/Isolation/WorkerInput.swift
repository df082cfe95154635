import CFirnCodecs
import FirnSystem
import FoundationEssentials

/// The bytes of an image on their way to a worker: a complete file, or pieces that the caller feeds.
struct WorkerInput {
    /// The longest file that is copied to the inbox. Sharing a descriptor costs as much as copying 64 KiB.
    private static let maximumCopied = 64 << 10
    /// The longest file for which ``isSmall`` is true.
    private static let maximumSmall = 8 << 10

    /// The number of bytes that the image has so far.
    private(set) var length = 0
    /// The complete file.
    private(set) var file: ByteChain?
    /// A file that is shared, not copied to the inbox.
    private var shared: SharedInput?
    /// True if the codec gets the file in one piece.
    private var feedsFile = false
    /// True if the worker has used all its bytes.
    var wantsBytes = true
    /// The bytes fed last, and how many of them the worker has.
    private var fed: (bytes: Data, sent: Int, isLast: Bool)?

    /// True if the decode may take less time than waking a thread.
    var isSmall: Bool { length <= WorkerInput.maximumSmall }
    /// True if there are bytes that the worker does not have.
    var hasMore: Bool { fed != nil }

    /// Takes a complete file.
    mutating func take(_ file: ByteChain, feeds: Bool) throws(ImageError) {
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
        request.add(FIRN_REQUEST_HAS_INPUT)
        if feedsFile { request.add(FIRN_REQUEST_FEEDS_INPUT) }
        if let shared {
            if shared.isFile { request.add(FIRN_REQUEST_INPUT_IS_FILE) }
            request.input = UInt64(clamping: shared.length)
            descriptors.append(shared.descriptor)
        } else {
            request.add(FIRN_REQUEST_INPUT_IN_INBOX)
            // A file that became shorter ends there, as it does when it is read.
            let length = file.forEachPiece(in: 0..<min(file.count, WorkerInput.maximumCopied)) { piece, offset in
                piece.withUnsafeBytes { worker.fillInbox(from: offset, $0) }
            }
            request.input = UInt64(clamping: max(1, length))
        }
    }

    /// Copies the next fed bytes to the inbox, and adds them to a request.
    mutating func sendNext(_ request: inout firn_worker_request, _ worker: WorkerConnection, _ policy: WorkerPolicy) {
        // Order: the inbox may hold bytes that the worker still reads.
        guard wantsBytes, let next = fed else { return }
        wantsBytes = false
        let count = min(next.bytes.count - next.sent, FIRN_ARENA_INBOX)
        let start = next.bytes.startIndex + next.sent
        next.bytes[start..<start + count].withUnsafeBytes { worker.fillInbox($0) }
        request.add(FIRN_REQUEST_FEEDS)
        request.fed = UInt32(clamping: count)
        request.memory = UInt64(clamping: policy.memory(input: length))
        let isAll = next.sent + count == next.bytes.count
        if isAll, next.isLast { request.add(FIRN_REQUEST_LAST) }
        fed = isAll ? nil : (next.bytes, next.sent + count, next.isLast)
    }
}

/// Memory in a descriptor that a worker can map and cannot resize.
///
/// Safety: its one owner, a ``WorkerConnection`` or ``RemoteDecoder``, guards it: one thread at a time uses it. A
/// worker may write to the memory at any time, so nothing that is read from it is trusted, or read twice.
final class SharedMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
    /// The descriptor, until it has been sent.
    private(set) var descriptor: Int32

    /// - Returns: `nil` if the system gives none.
    init?(length: Int) {
        let descriptor = firn_memory_make(max(length, 0))
        guard descriptor >= 0 else { return nil }
        guard firn_memory_seal(descriptor, false),
            let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
        else {
            close(descriptor)
            return nil
        }
        self.base = base
        self.length = length
        self.descriptor = descriptor
    }

    /// Creates memory with a copy of bytes, at least one.
    convenience init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return nil }
        self.init(length: bytes.count)
        base.copyMemory(from: first, byteCount: bytes.count)
    }

    deinit {
        munmap(base, length)
        closeDescriptor()
    }

    /// Closes the descriptor; the mapping stays.
    func closeDescriptor() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// The whole input of a decode in a descriptor that a worker can only read.
final class SharedInput {
    private(set) var length: Int
    let descriptor: Int32
    /// True for a file that others may change. A worker reads it and never maps it, because access to a page beyond a
    /// truncated file's end would crash the worker.
    let isFile: Bool

    /// Shares a file on disk itself, otherwise a sealed copy of the bytes.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if there is no memory or descriptor.
    init(_ file: ByteChain) throws(ImageError) {
        if let opened = file.openedFile() {
            (descriptor, length) = opened
            isFile = true
            return
        }
        isFile = false
        length = file.count
        descriptor = firn_memory_make(max(1, length))
        guard descriptor >= 0 else { throw .limit("no memory to share \(length) bytes with firn-decoder") }
        var offset = 0
        while offset < length {
            let piece = file.piece(at: offset)
            // A file that became shorter ends here, as it does when it is read.
            guard !piece.isEmpty else {
                length = max(1, offset)
                break
            }
            let written = piece.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
            guard written > 0 else { throw .limit("no memory to share \(length) bytes") }
            offset += written
        }
        guard firn_memory_seal(descriptor, true) else { throw .limit("the input cannot be sealed") }
    }

    deinit { close(descriptor) }
}
