package import FoundationEssentials

/// A small file that processes read and change in turns.
///
/// Whoever has the turn has it alone, among all processes and all records of the file, until he leaves or his process
/// ends, however that ends.
package final class SharedRecord: Sendable {
    /// How the file is reached.
    package struct Calls: Sendable {
        var take: @Sendable () throws(FileError) -> Void
        var leave: @Sendable () -> Void
        var read: @Sendable () throws(FileError) -> Data
        var write: @Sendable (Data) throws(FileError) -> Void

        /// - Parameters:
        ///   - take: waits for the turn, not forever, and makes the file if it is missing.
        ///   - leave: gives the turn to the next.
        ///   - read: all bytes of the file, in one's turn.
        ///   - write: replaces the bytes of the file, in one's turn.
        package init(
            take: @escaping @Sendable () throws(FileError) -> Void, leave: @escaping @Sendable () -> Void,
            read: @escaping @Sendable () throws(FileError) -> Data,
            write: @escaping @Sendable (Data) throws(FileError) -> Void
        ) {
            self.take = take
            self.leave = leave
            self.read = read
            self.write = write
        }
    }

    private let calls: Calls

    /// A record reached by `calls`.
    package init(_ calls: Calls) { self.calls = calls }

    /// Waits for the turn; to be followed by ``leave()``. Blocks.
    ///
    /// - Throws: `FileError`, with `EAGAIN` if another has had the turn for seconds: a stopped process, say.
    package func take() throws(FileError) { try calls.take() }

    /// Gives the turn to the next.
    package func leave() { calls.leave() }

    /// All bytes, in one's turn.
    package func read() throws(FileError) -> Data { try calls.read() }

    /// Replaces the bytes, in one's turn. Always as many.
    package func write(_ data: Data) throws(FileError) { try calls.write(data) }
}

/// How full a file system is.
package struct DiskSpace: Hashable, Sendable {
    /// Bytes that this user may still write.
    package var free: Int
    /// Bytes of the whole.
    package var total: Int

    /// A reading.
    package init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }
}
