package import FoundationEssentials

/// A small file that processes read and change in turns.
///
/// A turn is exclusive among all processes and all records of the file. It ends with ``leave`` or with the process.
package struct SharedRecord: Sendable {
    /// Waits for the turn, and creates the file if it is missing. ``leave`` must follow. Blocks.
    ///
    /// - Throws: `DataFileError`, with `EAGAIN` if another process has held the turn for seconds, for example because
    ///   it is stopped.
    package let take: @Sendable () throws(DataFileError) -> Void
    package let leave: @Sendable () -> Void
    /// Returns all bytes. Only during a turn.
    package let read: @Sendable () throws(DataFileError) -> Data
    /// Replaces the bytes with the same number of bytes. Only during a turn.
    package let write: @Sendable (Data) throws(DataFileError) -> Void

    package init(
        take: @escaping @Sendable () throws(DataFileError) -> Void, leave: @escaping @Sendable () -> Void,
        read: @escaping @Sendable () throws(DataFileError) -> Data,
        write: @escaping @Sendable (Data) throws(DataFileError) -> Void
    ) {
        (self.take, self.leave, self.read, self.write) = (take, leave, read, write)
    }
}

package struct DiskSpace: Hashable, Sendable {
    /// The number of bytes that this user may still write.
    package var free: Int
    package var total: Int

    package init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }
}
