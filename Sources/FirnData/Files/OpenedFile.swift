package import FoundationEssentials

/// A file that stays open for random access until the last reference is gone.
package final class OpenedFile: Sendable {
    /// Reads a part of the file: an offset and a number of bytes.
    package typealias Reading = @Sendable (Int, Int) throws(FileError) -> Data

    /// The path of the file.
    package let path: String
    /// The status of the file when it was opened.
    package let status: FileStatus
    private let reading: Reading
    private let closing: @Sendable () -> Void

    /// - Parameters:
    ///   - reading: reads a part, fewer bytes only at the end of the file. May be called on several threads at once.
    ///   - closing: called once, on any thread, when the last reference is gone.
    package init(
        path: String, status: FileStatus, reading: @escaping Reading, closing: @escaping @Sendable () -> Void
    ) {
        self.path = path
        self.status = status
        self.reading = reading
        self.closing = closing
    }

    deinit { closing() }

    /// Reads `count` bytes from `offset`, fewer only at the end of the file. Blocks.
    package func read(at offset: Int, count: Int) throws(FileError) -> Data {
        try reading(offset, count)
    }
}
