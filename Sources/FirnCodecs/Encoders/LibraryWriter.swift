internal import CFirnCodecs
internal import FirnImage
internal import FoundationEssentials

/// Writes stills and animations through a C encoder of frames.
struct LibraryWriter {
    let source: EncodingSource
    let open: LibraryAnimation.Opening

    /// A file of one image.
    func still(_ image: Bitmap) throws(ImageEncodingError) -> Data {
        let animation = try LibraryAnimation(
            source, size: image.size, repetitions: nil, isOpaque: image.isOpaque, colorProfile: image.colorProfile,
            open: open)
        try animation.append(image, milliseconds: 0)
        return try animation.finish()
    }

    /// A file of several.
    func animation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?
    ) throws(ImageEncodingError) -> LibraryAnimation {
        try LibraryAnimation(
            source, size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile, open: open)
    }
}
