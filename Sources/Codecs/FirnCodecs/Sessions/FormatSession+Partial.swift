import FirnImage

// Images of files that are cut short or damaged.
extension FormatSession {
    /// Returns a frame as far as it goes, whose decode has failed or lacks bytes; `nil` if no pixel of it is known.
    func partial(
        after decode: any FrameDecode, _ options: DecodingOptions
    ) throws(ImageDecodingError) -> Bitmap? {
        if let image = try? partial(decode, always: true), !image.isBlank { return image }
        // Some decoders keep what they have only if they are told before they start.
        guard chain.isFinished, let again = try begin(options, isPartial: true) else { return nil }
        defer { endDecode() }
        if (try? advance(again, options)) == true { return try? again.finish() }
        if let ended = chain.watch.ended { throw ended }
        return (try? partial(again, always: true)).flatMap { $0.isBlank ? nil : $0 }
    }
}

extension Bitmap {
    /// True if no byte was written, as where a library has failed before its first pixel.
    fileprivate var isBlank: Bool { withUnsafeBytes { !$0.contains { $0 != 0 } } }
}
