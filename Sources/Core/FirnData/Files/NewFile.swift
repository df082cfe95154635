/// An unnamed file, to which bytes are written in any order. It disappears with its last reference or its process,
/// unless it was given a name.
///
/// Not for concurrent use.
package protocol NewFile: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError)

    /// Gives the file a name. Fails if the name is taken; a failure creates no file. Call it once, last.
    func link(as path: String) throws(DataFileError)
}

extension FileSystem {
    /// Returns a file held in memory until it gets its name. For test file systems.
    package func makeFile(near path: String) throws(DataFileError) -> any NewFile { BufferedFile(self) }
}

/// A file held in memory until it gets its name.
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
