import CFirnCodecs
import FoundationEssentials

/// The calls of `firn_decode.h`, whose order and statuses hold here, too.
///
/// One thread at a time uses a decoder.
protocol DecoderCalls: AnyObject {
    /// Runs `body`, during which the bytes fed last are `bytes`.
    func lending(_ bytes: Data, _ body: () -> firn_status) -> firn_status

    /// Gives the decoder its next bytes; a failure is reported by the next call.
    func feed(_ bytes: Data, isLast: Bool)

    /// Calls `take` with the header, which is valid during the call, if the status is `FIRN_OK`.
    func header(_ take: (firn_header) -> Void) -> firn_status

    func frame(_ index: Int, _ frame: inout firn_frame) -> firn_status

    /// Calls `take` with the description of a page, which is valid during the call, if the status is `FIRN_OK`.
    func page(_ index: Int, _ take: (firn_header) -> Void) -> firn_status

    func start(_ options: firn_options, _ output: inout firn_output) -> firn_status

    func read(_ memory: RowMemory, _ done: inout Int) -> firn_status

    func preview(_ memory: RowMemory) -> firn_status

    /// True if a call failed; every later one will fail, too.
    var hasFailed: Bool { get }

    /// Returns the error for the status of a failed call.
    func error(_ status: firn_status) -> ImageDecodingError
}

extension ImageDecodingError {
    /// Returns the kind of error for the status of a failed call.
    static func fault(_ status: firn_status) -> Fault {
        switch status {
        case FIRN_UNSUPPORTED: .unsupported
        case FIRN_LIMIT, FIRN_MEMORY: .limit
        default: .data
        }
    }
}

extension firn_limits {
    /// Converts the limits to the C interface's type.
    init(_ limits: ImageLimits) {
        self.init(
            pixels: UInt64(clamping: max(limits.maximumPixels, 0)),
            bytes: UInt64(clamping: max(limits.maximumResultBytes, 0)),
            scanned_pixels: UInt64(clamping: max(limits.maximumScannedPixels, 0)),
            frames: UInt32(clamping: limits.maximumFrames),
            profile_bytes: UInt32(clamping: limits.maximumProfileBytes),
            file_bytes: UInt64(clamping: limits.maximumBytes), expansion: UInt32(clamping: limits.maximumExpansion))
    }
}
