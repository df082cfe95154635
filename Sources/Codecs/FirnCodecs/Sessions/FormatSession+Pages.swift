// The properties of pages (the frames of an animation have those of the file), and images of truncated or damaged
// files.
extension FormatSession {
    func properties(ofFrame index: Int) throws(ImageError) -> ImageProperties? {
        try scan()
        guard reader.frames.indices.contains(index) else { return nil }
        return try describe(index)
    }

    /// Returns the properties of a known frame: those of the file, unless the frame is a page.
    func describe(_ index: Int) throws(ImageError) -> ImageProperties? {
        guard index > 0, let file = reader.properties, file.frameDurations == nil, reader.order == nil else {
            return reader.properties
        }
        if let page, page.index == index { return page.properties }
        // The library ends its current decode to describe a page.
        endDecode()
        let described = try timed { () throws(ImageError) in try reader.page(index, chain) } ?? file
        page = (index, described)
        return described
    }

    /// Returns the image with the target's profile; if colors were not converted, with the file's profile, or a profile
    /// of the colors that the file describes. Half floats always have the primaries of sRGB.
    func tagged(_ image: Bitmap, _ options: DecodingOptions) -> Bitmap {
        guard image.format != .rgbaHalfPremultiplied else { return image }
        guard !options.appliesColorProfile else { return image.assigningColorProfile(options.targetProfile) }
        guard let properties = try? describe(options.frame) else { return image }
        switch ColorSource(properties) {
        case .profile(let profile) where profile.model == .rgb: return image.assigningColorProfile(profile)
        case .description(let description):
            let profile = ColorProfile(describing: description, light: properties.light)
            return profile.map { image.assigningColorProfile($0) } ?? image
        default: return image
        }
    }

    /// Returns the options that decode an image in high dynamic range without a conversion if they ask for that.
    func resolved(_ options: DecodingOptions) throws(ImageError) -> DecodingOptions {
        guard options.preservesHDR, options.pixelFormat != .rgbaHalfPremultiplied, options.frame >= 0,
            options.appliesColorProfile || options.pixelFormat != .rgba16Straight
        else { return options }
        try scan()
        guard reader.frames.indices.contains(options.frame), try describe(options.frame)?.isHighDynamicRange == true
        else { return options }
        var options = options
        (options.pixelFormat, options.appliesColorProfile) = (.rgba16Straight, false)
        return options
    }

    /// Returns the decoded part of a frame whose decode has failed or lacks bytes; `nil` if no pixel is known.
    func partial(
        after decode: any FrameDecode, _ options: DecodingOptions
    ) throws(ImageError) -> Bitmap? {
        if let image = try? partial(decode, always: true), !image.isBlank { return image }
        // Some decoders return incomplete images only if that is requested at the start.
        guard chain.isFinished, let again = try begin(options, isPartial: true) else { return nil }
        defer { endDecode() }
        if (try? advance(again, options)) == true { return try? again.finish() }
        if let ended = chain.watch.ended { throw ended }
        return (try? partial(again, always: true)).flatMap { $0.isBlank ? nil : $0 }
    }
}

extension Bitmap {
    /// True if no byte was written, for example because a library failed before its first pixel.
    fileprivate var isBlank: Bool { withUnsafeBytes { !$0.contains { $0 != 0 } } }
}
