import CFirnCodecs

/// Owns a decoder and feeds it the bytes of a stream, piece by piece.
final class LibraryDecoder {
    /// The input. It may be replaced by a longer stream with the same beginning.
    var stream: ByteStream
    /// The decoder, for calls that need no further bytes.
    let calls: any DecoderCalls
    private var position = ByteStream.Position()
    private var isEndFed: Bool

    /// - Parameter stream: the bytes to feed; `nil` (the default) for a decoder that has its whole file.
    init(_ calls: any DecoderCalls, reading stream: ByteStream? = nil) {
        self.calls = calls
        self.stream = stream ?? .wholeFile
        isEndFed = stream == nil
    }

    /// Repeats `call` with further pieces of the stream, until it returns another status or the stream has no more
    /// bytes.
    ///
    /// - Returns: `FIRN_NEED_DATA` only if the stream's next bytes have not arrived.
    func run(_ chain: ByteChain, _ call: (any DecoderCalls) -> firn_status) -> firn_status {
        while true {
            let status = call(calls)
            guard status == FIRN_NEED_DATA, feedNext(chain) else { return status }
        }
    }

    /// Feeds the stream's next piece; if the decoder fails to take it, the next call reports that.
    ///
    /// - Returns: whether there was one.
    private func feedNext(_ chain: ByteChain) -> Bool {
        guard !isEndFed, let next = stream.next(in: chain, from: &position) else { return false }
        isEndFed = next.isLast
        calls.feed(next.bytes, isLast: isEndFed)
        return true
    }

    /// Like ``run(_:_:)``, but checks the chain's watch before each piece, in each pause, and after success, because a
    /// library may decode a whole image in one call.
    ///
    /// - Throws: the error of the watch.
    func runWatched(
        _ chain: ByteChain, _ call: (any DecoderCalls) -> firn_status
    ) throws(ImageError) -> firn_status {
        while true {
            try chain.watch.check()
            let status = call(calls)
            if status == FIRN_PAUSE { continue }
            guard status == FIRN_NEED_DATA, feedNext(chain) else {
                if status == FIRN_OK { try chain.watch.check() }
                return status
            }
        }
    }

    /// Starts the image of a stream that holds a single one.
    ///
    /// - Returns: `nil` if the header needs more bytes.
    func start(
        _ request: RowRequest, isOpaque: Bool = false, _ chain: ByteChain
    ) throws(ImageError) -> firn_output? {
        guard try hasSucceeded(run(chain) { $0.header(page: nil) { _ in } }) else { return nil }
        var choice = firn_options(request)
        choice.frame = 0
        choice.opaque = isOpaque
        var output = firn_output()
        let status = run(chain) { $0.start(choice, &output) }
        guard status == FIRN_OK else { throw calls.error(status) }
        return output
    }

    /// Returns whether a call succeeded; false if it needs more bytes.
    ///
    /// - Throws: the error for any other status.
    func hasSucceeded(_ status: firn_status) throws(ImageError) -> Bool {
        guard status == FIRN_OK || status == FIRN_NEED_DATA else { throw calls.error(status) }
        return status == FIRN_OK
    }
}

/// The rows of a C decoder that has been started.
final class LibraryRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let bytesNeeded: Int?
    private let output: firn_output
    private let decoder: LibraryDecoder
    private let least: Int
    /// Called before rows are read, for a stream that is not complete yet.
    var prepare: ((ByteChain) -> Void)?

    /// - Parameters:
    ///   - end: the first byte after the image, if the file declares it.
    ///   - least: a file with fewer bytes is truncated, even if the decoder finishes the last row before the image's
    ///     last byte, so that the result does not depend on how the file is split. Default: 0.
    init(_ decoder: LibraryDecoder, _ output: firn_output, layout: SampleLayout, end: Int? = nil, least: Int = 0) {
        self.decoder = decoder
        self.layout = layout
        self.least = least
        size = PixelSize(width: Int(output.width), height: Int(output.height))
        self.output = output
        bytesNeeded = end ?? (output.bytes_needed == 0 ? nil : Int(clamping: output.bytes_needed))
    }

    var isWhole: Bool { output.whole }
    var fillsInOrder: Bool { !output.whole || output.in_order }
    var hasPreviews: Bool { output.previews }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        prepare?(chain)
        var done = 0
        let status = decoder.run(chain) { $0.read(memory, &done) }
        switch status {
        case FIRN_OK: return RowProgress(rows: done, state: .more)
        case FIRN_NEED_DATA: return RowProgress(rows: done, state: .needsBytes)
        case FIRN_END:
            guard chain.count >= least else { throw .data("cut short: \(chain.count) bytes are less than it declares") }
            return RowProgress(rows: done, state: .end)
        default: throw decoder.calls.error(status)
        }
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        try decoder.hasSucceeded(decoder.calls.preview(memory))
    }
}
