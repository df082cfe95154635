import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Owns a C decoder and lends it the bytes of a stream, piece by piece.
final class LibraryDecoder {
    /// The input. It may be replaced by a longer stream with the same beginning.
    var stream: ByteStream
    private let handle: OpaquePointer
    private var lent = Data()
    private var position = ByteStream.Position()
    private var isEndFed = false
    /// The whole file, for codecs with random access.
    private var whole: ReachableFile?

    /// - Returns: `nil` if the system has no memory, or the codec is left out of this build.
    init?(_ codec: firn_codec, reading stream: ByteStream = .wholeFile, limits: ImageLimits) {
        var bounds = firn_limits(
            pixels: UInt64(max(limits.maximumPixels, 0)),
            bytes: UInt64(max(limits.maximumResultBytes, 0)),
            scanned_pixels: UInt64(max(limits.maximumScannedPixels, 0)),
            frames: UInt32(clamping: limits.maximumFrames),
            profile_bytes: UInt32(clamping: limits.maximumProfileBytes))
        guard let handle = firn_decoder_open(codec, &bounds) else { return nil }
        self.handle = handle
        self.stream = stream
    }

    /// Creates a decoder with random access to `file`, which must be complete.
    convenience init?(_ codec: firn_codec, reaching file: ByteChain, limits: ImageLimits) {
        self.init(codec, limits: limits)
        let whole = ReachableFile(file)
        self.whole = whole
        isEndFed = true
        var source = whole.source
        firn_decoder_reach(handle, &source)
    }

    deinit { firn_decoder_close(handle) }

    /// Why the decoder failed.
    var message: String { String(cString: firn_decoder_message(handle)) }

    /// Repeats `call` with further pieces of the stream, until it returns another status or the stream has no more
    /// bytes.
    ///
    /// - Returns: `FIRN_NEED_DATA` only if the stream's next bytes have not arrived.
    func run(_ chain: ByteChain, _ call: (OpaquePointer) -> firn_status) -> firn_status {
        while true {
            let status = lending { call(handle) }
            guard status == FIRN_NEED_DATA, feedNext(chain) else { return status }
        }
    }

    /// Lends the stream's next piece; if the decoder fails to take it, the next call reports that.
    ///
    /// - Returns: whether there was one.
    private func feedNext(_ chain: ByteChain) -> Bool {
        guard !isEndFed, let next = stream.next(in: chain, from: &position) else { return false }
        lent = next.bytes
        isEndFed = next.isLast
        _ = feed()
        return true
    }

    /// Does the same, and checks `watch` before each piece and in each pause.
    ///
    /// - Throws: the error of the watch.
    func run(
        _ chain: ByteChain, _ watch: DecodingWatch, _ call: (OpaquePointer) -> firn_status
    ) throws(ImageDecodingError) -> firn_status {
        while true {
            try watch.check()
            let status = lending { call(handle) }
            if status == FIRN_PAUSE { continue }
            guard status == FIRN_NEED_DATA, feedNext(chain) else { return status }
        }
    }

    /// Runs `call` with the bytes lent last, without further ones.
    func runOnce(_ call: (OpaquePointer) -> firn_status) -> firn_status {
        lending { call(handle) }
    }

    /// Whether a call failed; every later one will fail, too.
    var hasFailed: Bool { firn_decoder_message(handle).pointee != 0 }

    /// Returns the error for a status.
    func error(_ status: firn_status) -> ImageDecodingError {
        ImageDecodingError(ImageDecodingError.fault(status), message)
    }

    private func feed() -> firn_status {
        lent.withUnsafeBytes { bytes in
            firn_decoder_feed(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, isEndFed)
        }
    }

    /// Runs `body` after telling the decoder where the bytes lent last are now.
    private func lending(_ body: () -> firn_status) -> firn_status {
        lent.withUnsafeBytes { bytes in
            firn_decoder_relend(handle, bytes.bindMemory(to: UInt8.self).baseAddress)
            return body()
        }
    }
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
