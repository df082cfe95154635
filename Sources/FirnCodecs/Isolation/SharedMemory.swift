import FirnImage
import FirnSystem
import FoundationEssentials

/// Memory in a descriptor that a worker can map and cannot resize.
///
/// Safety: the mapping lives as long as the object. A worker may write to it at any time, so nothing that is read from it
/// is trusted, or read twice.
final class SharedMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let length: Int
    /// The descriptor, until it has been sent.
    private(set) var descriptor: Int32

    /// From linux/fcntl.h, which does not reach Swift.
    fileprivate static let addSeals: Int32 = 1033
    private static let sealSize: Int32 = 0x1 | 0x2 | 0x4
    fileprivate static let sealAll: Int32 = 0x1 | 0x2 | 0x4 | 0x8

    /// - Returns: `nil` if the system gives none.
    init?(length: Int) {
        guard length > 0, let descriptor = SharedMemory.make(length: length) else { return nil }
        guard fcntl(descriptor, SharedMemory.addSeals, SharedMemory.sealSize) == 0,
            let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
        else {
            close(descriptor)
            return nil
        }
        self.base = base
        self.length = length
        self.descriptor = descriptor
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

    fileprivate static func make(length: Int) -> Int32? {
        let descriptor = memfd_create("firn", UInt32(MFD_CLOEXEC) | UInt32(MFD_ALLOW_SEALING))
        guard descriptor >= 0 else { return nil }
        guard ftruncate(descriptor, length) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// The whole input of a decode in a descriptor that a worker can only read.
final class SharedInput {
    let length: Int
    let descriptor: Int32

    /// Shares the file itself if it is at rest, otherwise a sealed copy of the bytes.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if there is no memory or descriptor.
    init(_ file: ByteChain) throws(ImageDecodingError) {
        if let opened = file.openedFile() {
            (descriptor, length) = opened
            return
        }
        length = file.count
        guard let descriptor = SharedMemory.make(length: max(1, length)) else {
            throw ImageDecodingError(.limit, "no memory to share \(length) bytes with firn-decoder")
        }
        self.descriptor = descriptor
        var offset = 0
        while offset < length {
            let piece = file.piece(at: offset)
            // A file that became shorter ends here, as it does when it is read.
            guard !piece.isEmpty else { break }
            let written = piece.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
            guard written > 0 else { throw ImageDecodingError(.limit, "no memory to share \(length) bytes") }
            offset += written
        }
        guard fcntl(descriptor, SharedMemory.addSeals, SharedMemory.sealAll) == 0 else {
            throw ImageDecodingError(.limit, "the input cannot be sealed")
        }
    }

    deinit { close(descriptor) }
}
