import CFirnCodecs
import FirnSystem
import FoundationEssentials

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

    /// Copies bytes, at least one.
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
    /// True for a file that others may change: a worker reads it and never maps it, because a mapped page that the file
    /// has lost would end it.
    let isFile: Bool

    /// Shares the file itself if it is at rest, otherwise a sealed copy of the bytes.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if there is no memory or descriptor.
    init(_ file: ByteChain) throws(ImageDecodingError) {
        if let opened = file.openedFile() {
            (descriptor, length) = opened
            isFile = true
            return
        }
        isFile = false
        length = file.count
        descriptor = firn_memory_make(max(1, length))
        guard descriptor >= 0 else {
            throw ImageDecodingError(.limit, "no memory to share \(length) bytes with firn-decoder")
        }
        var offset = 0
        while offset < length {
            let piece = file.piece(at: offset)
            // A file that became shorter ends here, as it does when it is read.
            guard !piece.isEmpty else {
                length = max(1, offset)
                break
            }
            let written = piece.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
            guard written > 0 else { throw ImageDecodingError(.limit, "no memory to share \(length) bytes") }
            offset += written
        }
        guard firn_memory_seal(descriptor, true) else {
            throw ImageDecodingError(.limit, "the input cannot be sealed")
        }
    }

    deinit { close(descriptor) }
}
