import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Owner of one C decoder, which it feeds from a file's pieces.
final class LibraryDecoder {
    private let handle: OpaquePointer
    /// The piece that the C decoder may still point into.
    private var lent = Data()
    private var piecesFed = 0
    private var isEndFed = false

    /// A decoder at a file's beginning; `nil` if there is no memory.
    init?(_ codec: firn_codec, limits: DecodingLimits) {
        var bounds = firn_limits(
            pixels: UInt64(max(limits.maximumPixels, 0)),
            bytes: UInt64(max(limits.maximumDecodedBytes, 0)),
            scans: UInt32(clamping: limits.maximumScans),
            frames: UInt32(clamping: limits.maximumFrames),
            profile_bytes: UInt32(clamping: limits.maximumProfileBytes))
        guard let handle = firn_decoder_open(codec, &bounds) else { return nil }
        self.handle = handle
    }

    deinit { firn_decoder_close(handle) }

    /// Why the decoder failed.
    var message: String { String(cString: firn_decoder_message(handle)) }

    /// Makes one call, feeding as often as it asks for more bytes.
    ///
    /// - Returns: what the call returned; `FIRN_NEED_DATA` only if `input` has no more and may still grow.
    func run(_ input: LibraryInput, _ call: (OpaquePointer) -> firn_status) -> firn_status {
        while true {
            let status = lending { call(handle) }
            guard status == FIRN_NEED_DATA else { return status }
            if piecesFed < input.pieces.count {
                lent = input.pieces[piecesFed]
                piecesFed += 1
            } else if input.isFinished, !isEndFed {
                lent = Data()
            } else {
                return FIRN_NEED_DATA
            }
            isEndFed = input.ends(behind: piecesFed)
            let fed = feed()
            guard fed == FIRN_OK else { return fed }
        }
    }

    private func feed() -> firn_status {
        lent.withUnsafeBytes { bytes in
            firn_decoder_feed(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, isEndFed)
        }
    }

    /// Safety: the bytes of a `Data` stand still only inside this closure, so the C decoder hears of their place anew each time.
    private func lending(_ body: () -> firn_status) -> firn_status {
        lent.withUnsafeBytes { bytes in
            firn_decoder_relend(handle, bytes.bindMemory(to: UInt8.self).baseAddress)
            return body()
        }
    }
}

extension DecodingError {
    /// Whose fault a status of the C decoders is.
    static func fault(_ status: firn_status) -> Fault {
        switch status {
        case FIRN_UNSUPPORTED: .unsupported
        case FIRN_LIMIT, FIRN_MEMORY: .limit
        default: .data
        }
    }
}
