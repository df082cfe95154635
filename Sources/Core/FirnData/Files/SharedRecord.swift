package import FoundationEssentials

/// A small file that processes read and change in turns.
///
/// A turn is exclusive among all processes and all records of the file. It ends with ``leave()`` or with the process.
package final class SharedRecord: Sendable {
    /// The calls that reach the file.
    package struct Calls: Sendable {
        var take: @Sendable () throws(DataFileError) -> Void
        var leave: @Sendable () -> Void
        var read: @Sendable () throws(DataFileError) -> Data
        var write: @Sendable (Data) throws(DataFileError) -> Void

        /// - Parameters:
        ///   - take: waits for the turn, for a limited time, and creates a missing file.
        ///   - leave: ends the turn.
        ///   - read: returns all bytes of the file, during a turn.
        ///   - write: replaces the bytes of the file, during a turn.
        package init(
            take: @escaping @Sendable () throws(DataFileError) -> Void, leave: @escaping @Sendable () -> Void,
            read: @escaping @Sendable () throws(DataFileError) -> Data,
            write: @escaping @Sendable (Data) throws(DataFileError) -> Void
        ) {
            self.take = take
            self.leave = leave
            self.read = read
            self.write = write
        }
    }

    private let calls: Calls

    /// Creates a record that `calls` reach.
    package init(_ calls: Calls) { self.calls = calls }

    /// Waits for the turn. ``leave()`` must follow. Blocks.
    ///
    /// - Throws: `DataFileError`, with `EAGAIN` if another process has had the turn for seconds, for example because it
    ///   is stopped.
    package func take() throws(DataFileError) { try calls.take() }

    /// Ends the turn.
    package func leave() { calls.leave() }

    /// Returns all bytes. Only during a turn.
    package func read() throws(DataFileError) -> Data { try calls.read() }

    /// Replaces the bytes with the same number of bytes. Only during a turn.
    package func write(_ data: Data) throws(DataFileError) { try calls.write(data) }
}

/// The space of a file system.
package struct DiskSpace: Hashable, Sendable {
    /// The bytes that this user may still write.
    package var free: Int
    /// The total number of bytes.
    package var total: Int

    /// Creates a reading.
    package init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }
}
