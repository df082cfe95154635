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

/// A descriptor with the path that it was opened with. Its owner closes it exactly once.
struct OpenFile {
    let path: String
    let descriptor: Int32
    private let opened: FileStatus

    /// Opens a regular file or a directory. Refuses anything else without blocking.
    ///
    /// - Parameter mode: the permissions of a new file, before the process's `umask`.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws(DataFileError) {
        // A zero byte would end the path early and reach another file.
        guard path.hasNoZero else { throw DataFileError("open", path, code: EINVAL) }
        self.path = path
        descriptor = try OpenFile.descriptor(path, flags | O_CLOEXEC | O_NOCTTY, mode)
        var buffer = stat()
        let code = fstat(descriptor, &buffer) == 0 ? 0 : errno
        let kind = buffer.st_mode & S_IFMT
        guard code == 0, kind == S_IFREG || kind == S_IFDIR else {
            FirnSystem.close(descriptor)
            throw DataFileError("open", path, code: code == 0 ? DataFileError.notRegular : code)
        }
        opened = FileStatus(buffer)
    }

    private static func descriptor(_ path: String, _ flags: Int32, _ mode: mode_t) throws(DataFileError) -> Int32 {
        // Order: nonblocking, since opening a named pipe blocks until its other end is opened.
        var waiting = O_NONBLOCK
        while true {
            let result = path.withSystemPath { FirnSystem.open($0, flags | waiting, mode) }
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK where waiting != 0:
                // Another process has a lease on the file, and the kernel requests its release. Only regular files
                // have leases.
                waiting = 0
            case ENXIO: throw DataFileError("open", path, code: DataFileError.notRegular)
            default: throw DataFileError("open", path, code: errno)
            }
        }
    }

    /// Order: not repeated after `EINTR`: Linux has closed the descriptor, and its number may already be reused.
    @discardableResult
    func close() -> Int32 { FirnSystem.close(descriptor) }

    func status() throws(DataFileError) -> FileStatus {
        guard !opened.isDirectory else { throw DataFileError("read", path, code: EISDIR) }
        return opened
    }

    /// Reads from the position to the end, or up to `limit` bytes.
    ///
    /// - Parameter expected: the probable number of bytes. A file may grow, shrink or have no length.
    func read(expected: Int, limit: Int) throws(DataFileError) -> FileBlock {
        // One byte more than expected, to detect the end without growing the block.
        try filled(FileBlock(capacity: min(max(expected, 0) &+ 1, max(limit, 0))), limit) {
            FirnSystem.read(descriptor, $0.end, $0.room)
        }
    }

    /// Reads `count` bytes from `offset`, or fewer at the end of the file. The descriptor's position does not change.
    func read(at offset: Int, count: Int) throws(DataFileError) -> Data {
        guard count > 0, offset >= 0 else { return Data() }
        return try filled(FileBlock(capacity: count), count) {
            pread(descriptor, $0.end, $0.room, off_t(offset + $0.count))
        }.data()
    }

    /// Reads until the end of the file, or up to `limit` bytes.
    private func filled(
        _ empty: FileBlock, _ limit: Int, _ read: (FileBlock) -> Int
    ) throws(DataFileError) -> FileBlock {
        var block = empty
        while block.count < limit {
            guard block.reserve(limit: limit) else {
                block.free()
                throw DataFileError("read", path, code: ENOMEM)
            }
            let received = read(block)
            if received == 0 { break }
            if received > 0 {
                block.count += received
            } else if errno != EINTR {
                let code = errno
                block.free()
                throw DataFileError("read", path, code: code)
            }
        }
        return block
    }

    /// Maps the whole file; returns `nil` if the file system cannot map.
    func map(_ status: FileStatus) -> MappedFile? {
        let size = status.size
        // Private and writable: a change through `Data` copies the page and never reaches the file.
        guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED
        else { return nil }
        let address = UInt(bitPattern: base)
        return MappedFile(adopting: UnsafeRawBufferPointer(start: base, count: size), status: status) {
            munmap(UnsafeMutableRawPointer(bitPattern: address), size)
        }
    }

    /// Writes all parts in order; two parts (a head and a body) in one call.
    func write(_ parts: [Data]) throws(DataFileError) {
        guard parts.count == 2 else {
            for part in parts { try write(part) }
            return
        }
        let done = parts[0].withUnsafeBytes { head in
            parts[1].withUnsafeBytes { body in
                withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
                    vectors.initializeElement(at: 0, to: OpenFile.vector(head))
                    vectors.initializeElement(at: 1, to: OpenFile.vector(body))
                    return writev(descriptor, vectors.baseAddress, 2)
                }
            }
        }
        guard done >= 0 || errno == EINTR else { throw DataFileError("write", path, code: errno) }
        // A signal or a full disk shortens a write. The next call reports the full disk.
        let rest = max(0, done)
        try write(parts[0].dropFirst(min(rest, parts[0].count)))
        try write(parts[1].dropFirst(max(0, rest - parts[0].count)))
    }

    private static func vector(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    private func write(_ data: Data) throws(DataFileError) {
        if let code = StreamOutput.write(data, to: descriptor) { throw DataFileError("write", path, code: code) }
    }
}

extension String {
    /// True if the path contains no zero byte, which would end it for the system.
    var hasNoZero: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.flatMap { memchr($0, 0, bytes.count) } == nil
        } ?? !utf8.contains(0)
    }
}

extension FileStatus {
    init(_ buffer: stat) {
        self.init(
            size: Int(buffer.st_size), modified: FileStatus.nanoseconds(buffer.st_mtim),
            changed: FileStatus.nanoseconds(buffer.st_ctim), inode: UInt64(buffer.st_ino),
            isDirectory: buffer.st_mode & S_IFMT == S_IFDIR,
            isRegular: buffer.st_mode & S_IFMT == S_IFREG, device: UInt64(buffer.st_dev))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec).saturatingMultiply(1_000_000_000).saturatingAdd(Int64(time.tv_nsec))
    }
}

/// Memory that a file is read into. Ends with exactly one call of ``data()``, ``mapped(_:)`` or ``free()``.
struct FileBlock {
    private var base: UnsafeMutableRawPointer?
    private var capacity: Int
    /// Bytes read so far.
    var count = 0

    /// Creates a block for `capacity` bytes. The first ``reserve(limit:)`` allocates it.
    init(capacity: Int) { self.capacity = capacity }

    /// The position of the next byte.
    var end: UnsafeMutableRawPointer? { base.map { $0 + count } }
    var room: Int { capacity - count }

    /// Makes room for at least one byte, up to `limit` bytes in total. Returns `false` if memory is exhausted.
    mutating func reserve(limit: Int) -> Bool {
        if base != nil, room > 0 { return true }
        let wanted = base == nil ? max(capacity, 1) : min(max(capacity.saturatingMultiply(2), 4096), limit)
        guard let larger = realloc(base, wanted) else { return false }
        base = larger
        capacity = wanted
        return true
    }

    func data() -> Data {
        guard let base, count > 0 else {
            free()
            return Data()
        }
        return Data(bytesNoCopy: base, count: count, deallocator: .free)
    }

    func mapped(_ status: FileStatus) -> MappedFile {
        let address = UInt(bitPattern: base)
        var status = status
        status.size = count
        return MappedFile(adopting: UnsafeRawBufferPointer(start: base, count: count), status: status) {
            FirnSystem.free(UnsafeMutableRawPointer(bitPattern: address))
        }
    }

    func free() { FirnSystem.free(base) }
}
