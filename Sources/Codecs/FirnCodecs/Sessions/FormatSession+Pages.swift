import FirnImage

// The properties of pages, which are those of the file for frames of an animation.
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
}
