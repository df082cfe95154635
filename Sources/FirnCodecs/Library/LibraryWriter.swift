internal import CFirnCodecs
internal import FirnImage
internal import FoundationEssentials

/// Writes stills and animations with a C encoder of frames, within the limits of a format.
struct LibraryWriter {
    let format: ImageFormat
    /// The longest side that the format supports, in pixels.
    let maximumSide: Int
    /// The layouts of more than 8 bits that the format supports.
    let wideFormats: [PixelFormat]
    private let open: LibraryAnimation.Opening

    /// - Parameters:
    ///   - options: the C encoder's options.
    ///   - open: the C function that starts an animation.
    init<Options>(
        _ format: ImageFormat, maximumSide: Int, wideFormats: [PixelFormat] = [], _ options: Options,
        _ open:
            @escaping (
                UnsafePointer<firn_canvas>?, UnsafePointer<Options>?, UnsafeMutablePointer<firn_encoded>?
            ) -> OpaquePointer?
    ) {
        self.format = format
        self.maximumSide = maximumSide
        self.wideFormats = wideFormats
        self.open = { canvas, encoded in withUnsafePointer(to: options) { open(canvas, $0, encoded) } }
    }

    /// Returns the source that passes images to the C functions of one file.
    func source(
        _ cancellation: CancellationFlag, _ metadata: EncodingMetadata = EncodingMetadata()
    ) -> EncodingSource {
        EncodingSource(
            format: format, maximumSide: maximumSide, wideFormats: wideFormats, cancellation: cancellation,
            metadata: metadata)
    }

    /// Returns a file of one image.
    func still(
        _ image: Bitmap, _ metadata: EncodingMetadata, _ cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        let animation = try LibraryAnimation(
            source(cancellation, metadata), size: image.size, repetitions: nil, isOpaque: image.isOpaque,
            colorProfile: image.colorProfile, open: open)
        try animation.append(image, duration: .zero)
        return try animation.finish()
    }

    /// Starts a file of several frames.
    func animation(
        _ size: PixelSize, _ repetitions: RepetitionCount, _ isOpaque: Bool, _ colorProfile: ColorProfile?,
        _ cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> LibraryAnimation {
        try LibraryAnimation(
            source(cancellation), size: size, repetitions: repetitions, isOpaque: isOpaque, colorProfile: colorProfile,
            open: open)
    }
}
