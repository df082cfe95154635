// The properties of pages, which are those of the file for frames of an animation, and images of files that are cut
// short or damaged.
extension FormatSession {
    func properties(ofFrame index: Int) throws(ImageDecodingError) -> ImageProperties? {
        try scan()
        guard reader.frames.indices.contains(index) else { return nil }
        return try describe(index)
    }

    /// Returns the properties of a frame that is known: those of the file, unless the frame is a page.
    func describe(_ index: Int) throws(ImageDecodingError) -> ImageProperties? {
        guard index > 0, let file = reader.properties, file.frameDurations == nil, reader.order == nil else {
            return reader.properties
        }
        if let page, page.index == index { return page.properties }
        // The description ends what the library does.
        endDecode()
        let found = try timed { () throws(ImageDecodingError) in try reader.page(index, chain) } ?? file
        page = (index, found)
        return found
    }

    /// Returns the image with the file's profile, or one of the colors that it describes, if colors were not converted.
    /// Half floats are in sRGB's primaries whatever the file says.
    func tagged(_ image: Bitmap, _ options: DecodingOptions) -> Bitmap {
        guard !options.appliesColorProfile, image.format != .rgbaHalfPremultiplied else { return image }
        switch (try? describe(options.frame)).flatMap({ ColorSource($0) }) {
        case .profile(let profile) where profile.model == .rgb: return image.assigningColorProfile(profile)
        case .description(let description):
            return ColorProfile(describing: description).map { image.assigningColorProfile($0) } ?? image
        default: return image
        }
    }

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
