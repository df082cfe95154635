/// Bounds that hostile or careless files are held to, checked before memory is allocated.
public struct DecodingLimits: Hashable, Sendable {
    /// Most bytes of a file. Default: 512 MiB.
    public var maximumBytes = 512 << 20
    /// Most stored pixels of one frame. Default: 2^28 (268 megapixels), a little above the largest cameras.
    public var maximumPixels = 1 << 28
    /// Most bytes of the pixel buffer that a decode returns, and of the coefficients that a JPEG of several scans keeps
    /// while it is decoded. Default: 1 GiB.
    public var maximumDecodedBytes = 1 << 30
    /// Most scans of a progressive file; fewer are allowed where the picture is so large that they would take minutes. Default: 1,000; encoders write about 10, real files stay below 100.
    public var maximumScans = 1_000
    /// Most frames that are counted in an animation. Default: 65,536.
    public var maximumFrames = 65_536
    /// Most bytes of an ICC profile; a larger one is ignored. Default: 8 MiB.
    public var maximumProfileBytes = 8 << 20

    /// Most pieces that a file may be handed over in; more are joined. Default: 65,536.
    public var maximumChunks = 65_536
    /// Most stored pixels of all frames of an animation together; frames beyond are not counted. Default: 2^36, an hour
    /// of full-HD at 10 frames a second.
    public var maximumAnimationPixels = 1 << 36
    /// Longest that one call may compute before it gives up, looked at between row groups; `nil` for no bound.
    /// Default: 60 s.
    public var maximumDecodingTime: Duration? = .seconds(60)

    /// The defaults.
    public init() {}
}
