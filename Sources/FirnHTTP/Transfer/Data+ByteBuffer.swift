import FoundationEssentials
import NIOCore

extension Data {
    /// The readable bytes of a buffer, sharing its memory if that wastes little.
    ///
    /// A buffer is a slice of the memory that one socket read filled. Holding the slice holds all of that memory, so a
    /// small slice is copied instead. The memory held is then at most twice the received bytes.
    init(sharing buffer: ByteBuffer) {
        guard buffer.readableBytes >= buffer.storageCapacity / 2, buffer.readableBytes >= 1024 else {
            self = buffer.withUnsafeReadableBytes { Data($0) }
            return
        }
        // Safety: the data retains the storage. A second owner makes every `ByteBuffer` of that storage copy before it
        // writes, and no other buffer has these bytes: the client passes on each slice once.
        self = buffer.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard let start = bytes.baseAddress else { return Data() }
            let owner = storage.retain()
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                deallocator: .custom { _, _ in owner.release() })
        }
    }
}
