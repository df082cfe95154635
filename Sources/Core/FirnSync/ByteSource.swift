package import FoundationEssentials

/// A file of known length with random access, which a decoder reads on demand instead of holding it in memory.
package protocol ByteSource: Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Returns `count` bytes from `offset` on; fewer at the end of the file. Blocks.
    ///
    /// - Throws: any error; its description tells the user why the bytes cannot be read.
    func read(at offset: Int, count: Int) throws -> Data

    /// Returns a new read-only descriptor of a regular file that holds all bytes from its start; the caller closes it.
    /// Returns `nil` if there is no such file.
    func readOnlyDescriptor() -> Int32?

    /// False if the bytes are known to have changed after the source was opened.
    var isUnchanged: Bool { get }
}

extension ByteSource {
    /// The default has no descriptor.
    package func readOnlyDescriptor() -> Int32? { nil }

    /// By default, bytes do not change.
    package var isUnchanged: Bool { true }
}

/// A byte source in memory.
package struct MemoryByteSource: ByteSource {
    /// The bytes.
    package let data: Data

    /// Creates a source of all bytes of `data`.
    package init(_ data: Data) { self.data = data }

    /// The number of bytes.
    package var count: Int { data.count }

    /// Returns a part of the bytes without a copy.
    package func read(at offset: Int, count: Int) -> Data {
        data.dropFirst(max(0, offset)).prefix(max(0, count))
    }
}
