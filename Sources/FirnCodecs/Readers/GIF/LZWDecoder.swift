import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Owner of one decoder of LZW codes.
final class LZWDecoder {
    /// What ended a call of ``read(_:at:into:count:)``.
    enum Outcome { case needsBytes, full, end, damaged }

    private let handle: OpaquePointer

    /// - Returns: `nil` where `codeSize` is none of GIF's, or there is no memory.
    init?(codeSize: UInt8) {
        guard let handle = firn_lzw_open(UInt32(codeSize)) else { return nil }
        self.handle = handle
    }

    deinit { firn_lzw_close(handle) }

    /// Unpacks the sub-blocks at `offset`, which is moved behind the bytes read.
    ///
    /// - Parameter base: room for `count` indices.
    /// - Returns: how many indices were written, and why no more.
    func read(
        _ chain: ByteChain, at offset: inout Int, into base: UnsafeMutablePointer<UInt8>, count: Int
    ) -> (indices: Int, outcome: Outcome) {
        var written = 0
        while true {
            let piece = chain.piece(at: offset)
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
