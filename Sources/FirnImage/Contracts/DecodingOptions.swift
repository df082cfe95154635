/// What is wanted of a decode.
public struct DecodingOptions: Hashable, Sendable {
    /// The size wanted, of the displayed picture. The decoder may return a larger picture, never a
    /// smaller one than `targetSize.resolved(for:)`; `nil` for every stored pixel.
    public var targetSize: TargetSize?
    /// Layout of the pixels returned.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether the picture is turned as its orientation says. Default: yes.
    public var appliesOrientation = true
    /// Whether the embedded colour profile is converted to sRGB. Default: yes.
    public var appliesColorProfile = true
    /// The frame wanted, counted from 0.
    public var frame = 0

    /// The first frame, all pixels, turned, in sRGB and in the screen's layout.
    public init() {}
}
