import FirnSync
import FirnSystem

/// A file that stays open for random access until the last reference is released.
package final class OpenedFile: ByteSource {
    /// Reads a part of the file: an offset and a number of bytes.
    package typealias Reading = @Sendable (Int, Int) throws(DataFileError) -> Data

    package let path: String
    /// The status of the file when it was opened.
    package let status: FileStatus
    private let reading: Reading
    private let closing: @Sendable () -> Void
    private let descriptor: Int32?

    /// - Parameters:
    ///   - reading: reads a part; returns fewer bytes only at the end of the file. May be called on several threads at
    ///     once.
    ///   - closing: called once, on any thread, when the last reference is released.
    ///   - descriptor: readable until `closing` is called; `nil` (the default) if there is none.
    package init(
        path: String, status: FileStatus, descriptor: Int32? = nil, reading: @escaping Reading,
        closing: @escaping @Sendable () -> Void
    ) {
        self.path = path
        self.status = status
        self.reading = reading
        self.closing = closing
        self.descriptor = descriptor
    }

    deinit { closing() }

    package var count: Int { status.size }

    /// Reads `count` bytes from `offset`; returns fewer only at the end of the file. Blocks.
    package func read(at offset: Int, count: Int) throws(DataFileError) -> Data {
        try reading(offset, count)
    }

    /// Returns a digest of the content: XXH64 of each mebibyte, seeded with the previous hash. Reads the whole file.
    package func digest() throws(DataFileError) -> UInt64 {
        let step = 1 << 20
        var digest: UInt64 = 0
        for offset in stride(from: 0, to: status.size, by: step) {
            let part = try read(at: offset, count: min(step, status.size - offset))
            digest = part.withUnsafeBytes { XXH64.hash($0, seed: digest) }
        }
        return digest
    }

    /// Returns a new descriptor if this is a regular file at least as long as `status` says; the caller closes it.
    package func readOnlyDescriptor() -> Int32? {
        guard let descriptor else { return nil }
        var now = stat()
        guard fstat(descriptor, &now) == 0, now.st_mode & S_IFMT == S_IFREG, now.st_size >= status.size else {
            return nil
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }

    /// False if the length or time of the file differs from when it was opened.
    package var isUnchanged: Bool {
        guard let descriptor else { return true }
        var now = stat()
        return fstat(descriptor, &now) == 0 && FileStatus(now) == status
    }
}
