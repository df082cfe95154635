/// The options of a decode: target size, pixel format, colors, and how incomplete frames are handled.
public struct DecodingOptions: Hashable, Sendable {
    /// The requested size of the displayed image; `nil` for all stored pixels. The decoder may return a larger image
    /// than `targetSize.resolved(for:)`, never a smaller one. With a ``region``, the target applies to the region. A
    /// vector image is rendered at the target's size, whatever size it states for itself.
    public var targetSize: TargetSize?
    /// The part of the image to decode; `nil` (the default) for the whole image.
    ///
    /// The result equals the same part of the whole decode: exactly at full size, and nearly if it is reduced. Decoders
    /// do as little work outside of the region as the format allows. A region without a pixel in the image fails with
    /// ``ImageDecodingError/Fault/request``.
    public var region: ImageRegion?
    /// The reduction in each direction: 1, 2, 4 or 8. The image has at least `ceil(side / subsamplingLevel)` pixels a
    /// side. Ignored if there is a ``targetSize``. Default: 1.
    public var subsamplingLevel = 1
    /// The layout of the returned pixels. Default: `bgra8Premultiplied`, which screens use.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// True if the image is rotated and mirrored by its orientation. Default: true.
    public var appliesOrientation = true
    /// True if colors are converted to sRGB and HDR is tone-mapped. Default: true.
    ///
    /// Otherwise the values are those of the file. If they are RGB, the image has the file's profile as its
    /// ``Bitmap/colorProfile``.
    public var appliesColorProfile = true
    /// True if a frame that is truncated, damaged or incomplete is returned as far as it goes. Missing pixels are
    /// transparent; an image requested as `rgb8` is then returned as `bgra8Premultiplied`.
    /// ``ImageDecodingSession/damage`` says what is missing. Default: false.
    public var allowsPartial = false
    /// True if a preview embedded in the metadata may replace the image if it is large enough. It may show something
    /// else. Default: false.
    public var allowsEmbeddedPreview = false
    /// True if the default image of an animated PNG, which is not part of the animation, replaces frame 0. Default:
    /// false, as in browsers.
    public var prefersDefaultImage = false
    /// The index of the frame. Default: 0.
    public var frame = 0

    /// Creates the defaults: the first frame with all pixels, upright, in sRGB, in the layout of screens.
    public init() {}
}
