import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Owns one C decoder of LZW codes.
final class LZWDecoder {
    /// Why a call of ``read(_:at:into:count:)`` ended.
    enum Outcome { case needsBytes, full, end, damaged }

    private let handle: OpaquePointer

    /// - Returns: `nil` if `codeSize` is invalid, or there is no memory.
    init?(codeSize: UInt8) {
        guard let handle = firn_lzw_open(UInt32(codeSize)) else { return nil }
        self.handle = handle
    }

    deinit { firn_lzw_close(handle) }

    /// Decodes the sub-blocks at `offset` and advances it past the bytes read.
    ///
    /// - Parameter base: room for `count` indices.
    /// - Returns: the number of indices written, and why there are no more.
    func read(
        _ chain: ByteChain, at offset: inout Int, into base: UnsafeMutablePointer<UInt8>, count: Int
    ) -> (indices: Int, outcome: Outcome) {
        var written = 0
        while true {
            let piece = chain.window(at: offset)
            var used = 0
            var done = 0
            let result = piece.withUnsafeBytes { bytes in
                firn_lzw_read(
                    handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &used, base + written,
                    count - written, &done)
            }
            offset += used
            written += done
            switch result {
            case FIRN_LZW_FULL: return (written, .full)
            case FIRN_LZW_END: return (written, .end)
            case FIRN_LZW_DAMAGED: return (written, .damaged)
            default: if chain.piece(at: offset).isEmpty { return (written, .needsBytes) }
            }
        }
    }
}
