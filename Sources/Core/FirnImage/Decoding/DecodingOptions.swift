/// The options of a decode: target size, pixel format, colors, and how incomplete frames are handled.
public struct DecodingOptions: Hashable, Sendable {
    /// The requested size of the displayed image; `nil` for all stored pixels. The decoder may return a larger image
    /// than `targetSize.resolved(for:)`, never a smaller one. With a ``region``, the target applies to the region. A
    /// vector image is rendered at the target's size, whatever its own size is.
    public var targetSize: TargetSize?
    /// The part of the image to decode; `nil` (the default) for the whole image.
    ///
    /// The result equals the same part of the whole decode: exactly at full size, and nearly at a reduced size.
    /// Decoders do as little work outside the region as the format allows. A region that does not overlap the image
    /// fails with ``ImageError/Fault/request``.
    public var region: ImageRegion?
    /// The reduction in each direction: 1, 2, 4 or 8. Each side has at least `ceil(side / subsamplingLevel)` pixels.
    /// Ignored if ``targetSize`` is set. Default: 1.
    public var subsamplingLevel = 1
    /// The layout of the returned pixels. Default: `bgra8Premultiplied`, which displays use.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// True to rotate and mirror the image by its orientation. Default: true.
    public var appliesOrientation = true
    /// True to convert colors to sRGB and tone-map HDR. Default: true.
    ///
    /// Otherwise the values are those of the file. If they are RGB, ``Bitmap/colorProfile`` is the file's profile.
    public var appliesColorProfile = true
    /// The RGB color space to convert to; `nil` (the default) for sRGB.
    ///
    /// ``Bitmap/colorProfile`` is then this profile. HDR is tone-mapped. Half floats, and images whose colors are not
    /// converted, ignore it. A profile that no colors can be converted to fails with ``ImageError/Fault/request``.
    public var targetProfile: ColorProfile?
    /// The rule for colors that the target lacks. Default: perceptual.
    public var renderingIntent = ColorProfile.RenderingIntent.perceptual
    /// True to keep the values of an image in high dynamic range (PQ or HLG) instead of tone-mapping them.
    ///
    /// Such an image is decoded as `rgba16Straight`, unless half floats are requested, in its own primaries and
    /// transfer function, which ``Bitmap/light`` states. Other images are not affected. Default: false.
    public var preservesHDR = false
    /// True to return a truncated, damaged or incomplete frame as far as it can be decoded. Missing pixels are
    /// transparent; an image requested as `rgb8` is then returned as `bgra8Premultiplied`.
    /// ``ImageDecodingSession/damage`` says why. Default: false.
    public var allowsPartial = false
    /// True if a large enough preview in the metadata may replace the image. The preview may show something else.
    /// Default: false.
    public var allowsEmbeddedPreview = false
    /// True if the default image of an animated PNG replaces frame 0 when it is not part of the animation. Default:
    /// false, as in browsers.
    public var prefersDefaultImage = false
    /// The index of the frame. Default: 0.
    public var frame = 0

    /// Creates the defaults: the first frame with all pixels, upright, in sRGB, in the layout of displays.
    public init() {}
}
