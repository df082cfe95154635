package import FoundationEssentials

/// A file that stays open until the last user is gone, to be read here and there.
package final class OpenedFile: Sendable {
    /// How a part of the file is read: an offset and a number of bytes.
    package typealias Reading = @Sendable (Int, Int) throws(FileError) -> Data

    /// Where the file was found.
    package let path: String
    /// What the system knew of the file when it was opened.
    package let status: FileStatus
    private let reading: Reading
    private let closing: @Sendable () -> Void

    /// - Parameters:
    ///   - reading: reads a part, fewer bytes only where the file ends; may be called on several threads at once.
    ///   - closing: called once, on any thread, when the last user is gone.
    package init(
        path: String, status: FileStatus, reading: @escaping Reading, closing: @escaping @Sendable () -> Void
    ) {
        self.path = path
        self.status = status
        self.reading = reading
        self.closing = closing
    }

    deinit { closing() }

    /// `count` bytes from `offset` on, fewer only where the file ends. Blocks.
    package func read(at offset: Int, count: Int) throws(FileError) -> Data {
        try reading(offset, count)
    }
}
