/// The options of a decode: target size, pixel format, colors, and how incomplete frames are handled.
public struct DecodingOptions: Hashable, Sendable {
    /// The size wanted, of the displayed image. The decoder may return a larger image, never a
    /// smaller one than `targetSize.resolved(for:)`; `nil` for every stored pixel.
    public var targetSize: TargetSize?
    /// Every how many stored pixels one is wanted, in each direction: 1, 2, 4 or 8. The image has at least
    /// `ceil(side / subsamplingLevel)` pixels a side. Not looked at where there is a ``targetSize``. Default: 1.
    public var subsamplingLevel = 1
    /// Layout of the pixels returned.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether the image is turned as its orientation says. Default: yes.
    public var appliesOrientation = true
    /// Whether colors are converted to sRGB, from the embedded profile or whatever else the file says of them, and
    /// toned down where they are brighter than a screen's white. Default: yes.
    public var appliesColorProfile = true
    /// Whether a frame whose last bytes have not come, or are damaged, is returned as far as it goes; what is
    /// missing is transparent, so that an image asked for as `rgb8` then comes as `bgra8Premultiplied`. Default: no.
    public var allowsPartial = false
    /// Whether a preview that the file's metadata embeds may stand for the image where it is large enough. It may
    /// show something else. Default: no.
    public var allowsEmbeddedPreview = false
    /// Whether the image that an animated file holds for those who show no animation stands for frame 0, where it is
    /// none of the animation's frames (animated PNG). Default: no, as browsers have it.
    public var prefersDefaultImage = false
    /// The frame wanted, counted from 0.
    public var frame = 0

    /// The first frame, all pixels, turned, in sRGB and in the screen's layout.
    public init() {}
}
