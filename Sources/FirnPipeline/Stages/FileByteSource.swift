public import FirnData
public import FirnImage
public import FoundationEssentials

/// An open file as a decoder reads it.
public struct FileByteSource: ByteSource {
    private let file: OpenedFile

    /// The whole of `file`.
    public init(_ file: OpenedFile) { self.file = file }

    /// The file's length when it was opened.
    public var count: Int { file.status.size }

    /// Reads a part of the file; see ``/FirnData/OpenedFile/read(at:count:)``.
    public func read(at offset: Int, count: Int) throws -> Data {
        try file.read(at: offset, count: count)
    }
}
