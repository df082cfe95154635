package import FoundationEssentials

/// A byte source in memory.
package struct MemoryByteSource: ByteSource {
    private let data: Data

    /// Creates a source of all bytes of `data`.
    package init(_ data: Data) { self.data = data }

    /// The number of bytes.
    package var count: Int { data.count }

    /// Returns a part of the bytes without a copy.
    package func read(at offset: Int, count: Int) -> Data {
        data.dropFirst(max(0, offset)).prefix(max(0, count))
    }
}
