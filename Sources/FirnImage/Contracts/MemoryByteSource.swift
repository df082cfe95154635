public import FoundationEssentials

/// Bytes in memory, where bytes at rest are asked for.
public struct MemoryByteSource: ByteSource {
    private let data: Data

    /// All of `data`.
    public init(_ data: Data) { self.data = data }

    /// Number of bytes.
    public var count: Int { data.count }

    /// A part of the bytes, not copied.
    public func read(at offset: Int, count: Int) -> Data {
        data.dropFirst(max(0, offset)).prefix(max(0, count))
    }
}
