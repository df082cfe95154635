public import FoundationEssentials

/// Encodes images, in one format or in a format chosen for each image.
///
/// Files contain the pixels and the requested metadata: by default only the color profile, if colors are not sRGB.
/// Pixels are upright, and files state no orientation.
public protocol ImageEncoding: Sendable {
    /// The format; for an encoder that chooses, the format of opaque 8-bit images.
    var format: ImageFormat { get }

    /// Returns the format that `encode` would choose for `image`.
    ///
    /// - Complexity: O(pixels) for an encoder that chooses by transparency.
    func format(for image: Bitmap) -> ImageFormat

    /// Encodes `image` as a whole file, unless `cancellation` is set. Deterministic: equal images with equal metadata
    /// give equal bytes.
    ///
    /// - Throws: ``ImageError``; ``ImageError/Fault/cancelled`` if the flag is set. Encoders check it
    ///   as often as their library permits.
    func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data
}

/// Defaults and shorter forms.
extension ImageEncoding {
    /// Returns ``format``.
    public func format(for image: Bitmap) -> ImageFormat { format }

    /// Encodes `image` with its profile and no other metadata.
    ///
    /// - Throws: ``ImageError``.
    public func encode(_ image: Bitmap) throws(ImageError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: CancellationFlag())
    }

    /// Encodes `image` with its profile and no other metadata, unless `cancellation` is set.
    ///
    /// - Throws: ``ImageError``.
    public func encode(_ image: Bitmap, cancellation: CancellationFlag) throws(ImageError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: cancellation)
    }
}

/// The metadata that an encoder writes beside the pixels.
///
/// No orientation is written, because the pixels are upright; EXIF data gets the orientation 1.
public struct EncodingMetadata: Hashable, Sendable {
    /// True to embed the profile of an image that is not in sRGB. Without it, viewers assume sRGB and show wrong
    /// colors. Default: true.
    public var keepsColorProfile: Bool
    /// EXIF data, as in ``ImageProperties/exif``; `nil` for none. Ignored by GIF, BMP and ICO, and in animations.
    /// Default: `nil`.
    public var exif: Data?
    /// An XMP packet; `nil` for none. Ignored where EXIF data are. Default: `nil`.
    public var xmp: Data?
    /// A block of IPTC records; `nil` for none. Written to JPEG, PNG and TIFF files. Its fields are
    /// written to the XMP packets of other formats, unless ``xmp`` has them. Default: `nil`.
    public var iptc: Data?
    /// The resolution; `nil` for none. Written to JPEG, PNG, TIFF and BMP files, and to the resolution fields of
    /// ``exif`` if present. WebP, AVIF and JPEG XL have no other field for it, so EXIF data is added. Default: `nil`.
    public var resolution: ImageResolution?
    /// The gain map of the image; `nil` for none. Written to JPEG, AVIF and JPEG XL files, and ignored by the other
    /// formats. Default: `nil`.
    public var gainMap: GainMap?

    /// Creates metadata. Default: only the color profile.
    public init(
        keepsColorProfile: Bool = true, exif: Data? = nil, xmp: Data? = nil, iptc: Data? = nil,
        resolution: ImageResolution? = nil, gainMap: GainMap? = nil
    ) {
        self.xmp = xmp
        self.iptc = iptc
        self.gainMap = gainMap
        self.keepsColorProfile = keepsColorProfile
        self.exif = exif
        self.resolution = resolution
    }
}

/// Encodes animations frame by frame, without holding the whole animation in memory.
public protocol AnimationEncoding: ImageEncoding {
    /// Starts a file of frames of `size`.
    ///
    /// - Parameters:
    ///   - repetitions: the number of plays; ignored by formats that cannot store it.
    ///   - isOpaque: whether no frame has transparent pixels. Pass `false` if unknown: some formats then store alpha.
    ///   - colorProfile: the color space of all frames; `nil` for sRGB.
    ///   - cancellation: checked with every frame, and more often if the library permits.
    /// - Throws: ``ImageError`` if the format does not support the size or is not in this build.
    func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession
}

extension AnimationEncoding {
    /// Starts a file of frames of `size` in sRGB with alpha. Default: played forever.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount = .forever
    ) throws(ImageError) -> any AnimationEncodingSession {
        try makeAnimation(
            size: size, repetitions: repetitions, isOpaque: false, colorProfile: nil, cancellation: CancellationFlag())
    }

    /// Encodes the frames of an animation one at a time, so that only one is in memory. Skips damaged frames after the
    /// first.
    ///
    /// - Parameters:
    ///   - decoder: the decoder, which has the whole file.
    ///   - decode: returns a frame.
    ///   - process: changes a frame. Its results must all have the same size.
    /// - Returns: the file, its size, and the number of its frames.
    /// - Throws: ``ImageError`` if there is no frame; the errors of the closures.
    package func encode(
        _ frames: Range<Int>, of decoder: ImageDecoder, cancellation: CancellationFlag = CancellationFlag(),
        decode: (Int) throws -> Bitmap, process: (Bitmap) throws -> Bitmap
    ) throws -> (data: Data, size: PixelSize, frames: Int) {
        var session: (any AnimationEncodingSession)?
        var size = PixelSize(width: 0, height: 0)
        var count = 0
        for index in frames {
            let frame: Bitmap
            do {
                frame = try decode(index)
            } catch let error as ImageError where session != nil && error.fault == .data {
                continue
            }
            let image = try process(frame)
            if session == nil {
                size = image.size
                session = try makeAnimation(
                    size: size, repetitions: decoder.repetitionCount ?? .once,
                    isOpaque: image.isOpaque && decoder.properties?.hasAlpha == false,
                    colorProfile: image.colorProfile, cancellation: cancellation)
            }
            try session?.append(image, duration: decoder.frameDuration(at: index) ?? .milliseconds(100))
            count += 1
        }
        guard let session else {
            throw ImageError(.image, at: .encoding, "the animation has no frames", format: format)
        }
        return (try session.finish(), size, count)
    }
}

/// Encodes one animation, on one thread at a time.
///
/// Order of calls: `append+ finish`. After an error, every later call throws it again.
public protocol AnimationEncodingSession: AnyObject {
    /// Adds the next frame as a whole image.
    ///
    /// - Parameters:
    ///   - frame: an image of the animation's size. Not retained after the call.
    ///   - duration: the duration in whole milliseconds; negative values count as 0. GIF rounds to hundredths of a
    ///     second and adds the remainder to the next frame.
    /// - Throws: ``ImageError``.
    func append(_ frame: Bitmap, duration: Duration) throws(ImageError)

    /// Ends the animation.
    ///
    /// - Returns: the whole file.
    /// - Throws: ``ImageError`` if there is no frame, or the library fails.
    func finish() throws(ImageError) -> Data
}
