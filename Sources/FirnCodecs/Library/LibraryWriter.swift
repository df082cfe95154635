internal import CFirnCodecs
internal import FirnImage
internal import FoundationEssentials

/// Writes stills and animations with a C encoder of frames.
struct LibraryWriter {
    let source: EncodingSource
    let open: LibraryAnimation.Opening

    /// Returns a file of one image.
    func still(_ image: Bitmap) throws(ImageEncodingError) -> Data {
        let animation = try LibraryAnimation(
            source, size: image.size, repetitions: nil, isOpaque: image.isOpaque, colorProfile: image.colorProfile,
            open: open)
        try animation.append(image, milliseconds: 0)
        return try animation.finish()
    }

    /// Starts a file of several frames.
    func animation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?
    ) throws(ImageEncodingError) -> LibraryAnimation {
        try LibraryAnimation(
            source, size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile, open: open)
    }
}
