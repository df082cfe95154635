import FoundationEssentials
import NIOCore

extension Data {
    /// The readable bytes of a buffer, sharing its memory where that wastes little of it.
    ///
    /// A buffer is a piece of what one read of the socket filled. Keeping the piece keeps the whole, so a small piece
    /// is copied instead: what a reader holds is then at most twice what it has received.
    init(sharing buffer: ByteBuffer) {
        guard buffer.readableBytes >= buffer.storageCapacity / 2, buffer.readableBytes >= 1024 else {
            self = buffer.withUnsafeReadableBytes { Data($0) }
            return
        }
        // Safety: the storage is retained until the data lets go of it. A second owner makes every `ByteBuffer` of
        // that storage copy before it writes, and no other one has these bytes: the client hands on each piece once.
        self = buffer.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard let start = bytes.baseAddress else { return Data() }
            let owner = storage.retain()
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                deallocator: .custom { _, _ in owner.release() })
        }
    }
}
