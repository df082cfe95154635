package import FoundationEssentials

/// The bytes of a whole file, in memory that stays where it is until the last user is gone.
package final class MappedFile: Sendable {
    /// What the system knew of the file when it was opened.
    package let status: FileStatus
    // Safety: the memory is not written through this pointer, and lives until `release` is called, in `deinit`.
    private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private let release: @Sendable () -> Void

    /// Takes over memory.
    ///
    /// - Parameter bytes: must stay valid and unchanged, and be writable by a ``data(from:)`` that its owner changes,
    ///   without that reaching the file (as a private mapping is).
    /// - Parameter release: called once, on any thread, when the last user is gone.
    package init(adopting bytes: UnsafeRawBufferPointer, status: FileStatus, release: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.status = status
        self.release = release
    }

    /// A copy of `data`, for file systems that have nothing to map.
    package convenience init(copying data: Data, status: FileStatus) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.copyBytes(to: copy)
        let address = UInt(bitPattern: copy.baseAddress)
        self.init(adopting: UnsafeRawBufferPointer(copy), status: status) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    deinit { release() }

    /// Gives `body` all bytes, valid during the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }

    /// The bytes from `offset` to the end, not copied; its indices start at 0. Empty if `offset` is not inside.
    package func data(from offset: Int = 0) -> Data {
        guard offset >= 0, offset < bytes.count, let base = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base + offset), count: bytes.count - offset,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
