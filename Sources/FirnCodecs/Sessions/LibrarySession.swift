import CFirnCodecs
import FirnImage
import FoundationEssentials

/// The decoding of one file by one of the C libraries, all of which show the same interface.
///
/// The file's pieces are kept as long as the session, so that it can be decoded more than once, at different sizes.
final class LibrarySession: ImageDecodingSession {
    let codec: firn_codec
    let limits: DecodingLimits
    let cancellation: CancellationFlag
    /// The format as far as it is known: an animated PNG is told by its content.
    private(set) var format: ImageFormat
    private(set) var input = LibraryInput()
    private var received = 0
    private var failure: DecodingError?
    private var known: LibraryHeader?
    /// The decoder that read the header and has not been used for pixels yet.
    private var decoder: LibraryDecoder?

    init(codec: firn_codec, format: ImageFormat, limits: DecodingLimits, cancellation: CancellationFlag) {
        self.codec = codec
        self.format = format
        self.limits = limits
        self.cancellation = cancellation
    }

    func append(_ data: Data) throws(DecodingError) {
        if let failure { throw failure }
        let (total, overflow) = received.addingReportingOverflow(data.count)
        guard !overflow, total <= limits.maximumBytes else {
            throw fail(.limit, "is longer than \(limits.maximumBytes) bytes, the limit")
        }
        received = total
        input.append(data)
    }

    func finish() {
        guard !input.isFinished else { return }
        input.finish()
        guard codec != FIRN_CODEC_JPEG else { return }
        // What stands behind the pixels counts too: what was known so far is read anew, from bytes in one piece.
        input.join()
        known = nil
        decoder = nil
    }

    func properties() throws(DecodingError) -> ImageProperties? {
        try header()?.properties
    }

    func workingBytes(for options: DecodingOptions) -> Int {
        guard failure == nil, let header = try? header() else { return 0 }
        return header.workingBytes(for: options, codec: codec)
    }

    func decode(_ options: DecodingOptions) throws(DecodingError) -> Bitmap {
        if let failure { throw failure }
        guard input.isFinished else {
            throw DecodingError(.unsupported, "is decoded only when all bytes are there", format: format)
        }
        guard let header = try header() else { throw fail(.data, "the data is cut short") }
        try header.check(options)
        let decoder = try takeDecoder()
        do {
            return try LibraryDecode(
                header: header, options: options, limits: limits, cancellation: cancellation
            ).run(decoder, input: input)
        } catch {
            throw fail(error.fault, error.message)
        }
    }

    /// What the file says of itself, or `nil` if more bytes have to come first.
    private func header() throws(DecodingError) -> LibraryHeader? {
        if let failure { throw failure }
        if let known { return known }
        let decoder: LibraryDecoder
        if let begun = self.decoder { decoder = begun } else { decoder = try makeDecoder() }
        self.decoder = decoder
        var found: LibraryHeader?
        let status = decoder.run(input) { handle in
            var raw = firn_header()
            let status = firn_decoder_header(handle, &raw)
            // Order: inside the call, because a profile may stand in the bytes that are lent for it.
            if status == FIRN_OK {
                found = LibraryHeader(raw, format: raw.animated && format == .png ? .apng : format)
            }
            return status
        }
        switch status {
        case FIRN_OK:
            known = found
            if let found { format = found.properties.format }
            return found
        case FIRN_NEED_DATA:
            return nil
        default:
            throw fail(DecodingError.fault(status), decoder.message)
        }
    }

    /// A decoder that has read the header: the first one, or for a second decode another that starts from the beginning.
    private func takeDecoder() throws(DecodingError) -> LibraryDecoder {
        if let decoder {
            self.decoder = nil
            return decoder
        }
        let decoder = try makeDecoder()
        var raw = firn_header()
        let status = decoder.run(input, { firn_decoder_header($0, &raw) })
        guard status == FIRN_OK else { throw fail(DecodingError.fault(status), decoder.message) }
        return decoder
    }

    private func makeDecoder() throws(DecodingError) -> LibraryDecoder {
        guard let decoder = LibraryDecoder(codec, limits: limits) else { throw fail(.limit, "no memory for a decoder") }
        return decoder
    }

    private func fail(_ fault: DecodingError.Fault, _ message: String) -> DecodingError {
        let error = DecodingError(fault, message, format: format)
        failure = error
        decoder = nil
        return error
    }
}
