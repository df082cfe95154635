/// The bytes of a whole file, in memory that stays valid until the last reference is released.
package final class MappedFile: Sendable {
    /// The status of the file when it was opened.
    package let status: FileStatus
    // Safety: the memory is not written through this pointer. It stays valid until `deinit` calls `release`.
    private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private let release: @Sendable () -> Void

    /// Takes ownership of memory.
    ///
    /// - Parameters:
    ///   - bytes: must stay valid and unchanged. The owner of a ``data(from:)`` must be able to write to them without
    ///     changing the file (as in a private mapping).
    ///   - release: called once, on any thread, when the last reference is released.
    package init(adopting bytes: UnsafeRawBufferPointer, status: FileStatus, release: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.status = status
        self.release = release
    }

    /// Copies `data`, for file systems that cannot map.
    package convenience init(copying data: Data, status: FileStatus) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.copyBytes(to: copy)
        let address = UInt(bitPattern: copy.baseAddress)
        self.init(adopting: UnsafeRawBufferPointer(copy), status: status) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    deinit { release() }

    /// Calls `body` with all bytes, valid during the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }

    /// Returns the bytes from `offset` to the end, without a copy. Indices start at 0. Empty if `offset` is out of
    /// range.
    package func data(from offset: Int = 0) -> Data {
        guard offset >= 0, offset < bytes.count, let base = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base + offset), count: bytes.count - offset,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
