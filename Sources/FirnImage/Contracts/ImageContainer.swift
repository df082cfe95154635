public import FoundationEssentials

/// A picture with what is known about it: what decoders and processors pass on and caches keep.
public struct ImageContainer: Sendable {
    /// The pixels.
    public var image: Bitmap
    /// Format of the file it was decoded from.
    public var format: ImageFormat?
    /// Whether this is an early state of a picture that is still arriving.
    public var isPreview: Bool
    /// The file's bytes, kept where something later needs them (animations).
    public var data: Data?

    /// Wraps `image`.
    public init(
        image: Bitmap, format: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil
    ) {
        self.image = image
        self.format = format
        self.isPreview = isPreview
        self.data = data
    }

    /// Bytes held in memory.
    public var cost: Int { image.cost + (data?.count ?? 0) }
}
