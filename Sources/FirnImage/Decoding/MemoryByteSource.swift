package import FoundationEssentials

/// Bytes in memory, where bytes at rest are asked for.
package struct MemoryByteSource: ByteSource {
    private let data: Data

    /// All of `data`.
    package init(_ data: Data) { self.data = data }

    /// Number of bytes.
    package var count: Int { data.count }

    /// A part of the bytes, not copied.
    package func read(at offset: Int, count: Int) -> Data {
        data.dropFirst(max(0, offset)).prefix(max(0, count))
    }
}
