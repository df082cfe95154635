import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Decompresses small, complete zlib streams.
struct ZlibStreams {
    /// The workers that decompress; `nil` for this process.
    var workers: MetadataWorkers?

    /// Returns the decompressed bytes of `data`; `nil` if it is damaged or they are more than `most`.
    ///
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    func unpacked(_ data: Data, most: Int) throws(ImageDecodingError) -> Data? {
        if let workers { return try workers.unpacked(data, most: most) }
        return data.withUnsafeBytes { bytes in
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
