import FoundationEssentials

/// A file without a name, to which bytes are written in any order. It is gone with its last reference, or with its
/// process, unless it has got a name.
///
/// One thread at a time uses it.
package protocol NewFile: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError)

    /// Gives the file a name. Fails if that is taken. A failure leaves no file of the name. Call it once, as the last.
    func link(as path: String) throws(DataFileError)
}

extension FileSystem {
    /// Returns a file that is held in memory until it gets its name. For file systems of tests.
    package func makeFile(near path: String) throws(DataFileError) -> any NewFile { BufferedFile(self) }
}

/// A file that is held in memory until it gets its name.
private final class BufferedFile: NewFile {
    private let files: any FileSystem
    private var content = Data()

    init(_ files: any FileSystem) { self.files = files }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError) {
        let (end, overflow) = offset.addingReportingOverflow(bytes.count)
        guard offset >= 0, !overflow else { throw DataFileError("write", "", code: DataFileError.notRegular) }
        if content.count < end { content.append(Data(count: end - content.count)) }
        content.replaceSubrange(offset..<end, with: bytes)
    }

    func link(as path: String) throws(DataFileError) { try files.create(path, [content]) }
}
