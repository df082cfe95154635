package import FirnData
import FirnImage
package import FoundationEssentials

/// An open file as the source of a decoder.
package struct FileByteSource: ByteSource {
    private let file: OpenedFile

    /// Creates a source of the whole file.
    package init(_ file: OpenedFile) { self.file = file }

    /// The file's length when it was opened.
    package var count: Int { file.status.size }

    /// Reads a part of the file; see ``/FirnData/OpenedFile/read(at:count:)``.
    package func read(at offset: Int, count: Int) throws -> Data {
        try file.read(at: offset, count: count)
    }

    /// A new descriptor of the file; see ``/FirnData/OpenedFile/readOnlyDescriptor()``.
    package func readOnlyDescriptor() -> Int32? { file.readOnlyDescriptor() }
}
