import CFirnCodecs
import FoundationEssentials

/// Decompresses small, complete zlib streams.
enum ZlibStream {
    /// Returns the decompressed bytes of `data`; `nil` if it is damaged or they are more than `most`.
    static func unpacked(_ data: Data, most: Int) -> Data? {
        data.withUnsafeBytes { bytes in
            var length = 0
            guard
                let block = firn_zlib_unpack(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, max(0, most), &length)
            else { return nil }
            defer { firn_zlib_free(block) }
            return Data(bytes: block, count: length)
        }
    }
}
