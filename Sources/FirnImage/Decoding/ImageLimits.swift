/// What an image may cost at most: bytes, pixels, frames, time and memory. For hostile and for careless files.
///
/// One object for all who work on an image: ``ImageDecoder``, a pipeline, its processors, the HTTP loader, the command. Limits are
/// checked before memory is allocated. What exceeds one fails with the fault `limit`, and nothing of it is kept.
///
/// The defaults let every image pass that a camera or a scanner makes, and keep a process alive on the machine it runs on.
public struct ImageLimits: Hashable, Sendable {
    // MARK: Bytes that come in

    /// Most bytes of a file, and of a body after decompression. Default: 512 MiB, above any image and below a machine's memory.
    public var maximumBytes = 512 << 20
    /// How many times as long a body may become by decompression, once it is longer than 16 MiB. Default: 100. Photographs
    /// hardly shrink and SVG shrinks to a tenth; a body that is made to fill memory shrinks to a thousandth.
    public var maximumExpansion = 100
    /// Most pieces that a file may be handed over in; more are joined. Default: 65,536.
    public var maximumChunks = 65_536
    /// Most bytes of an ICC profile; a larger one is ignored. Default: 8 MiB, twice the largest that printers have.
    public var maximumProfileBytes = 8 << 20

    // MARK: Pixels

    /// Most pixels of one frame, as stored, and of a processor's result. Default: 2^28 (268 megapixels), a little above the
    /// largest cameras.
    public var maximumPixels = 1 << 28
    /// Most bytes of one row of samples, as it is decoded and before it is reduced.
    ///
    /// Libraries decode whole rows, and hold several of them. Default: 16 MiB, 4 million pixels of four bytes. JPEG, GIF
    /// and WebP have 65,535 pixels a row at most.
    public var maximumRowBytes = 16 << 20
    /// Most frames that are counted in an animation. Default: 65,536.
    public var maximumFrames = 65_536
    /// Most stored pixels of all frames of an animation together; frames beyond are not counted. Default: 2^36, an hour
    /// of full-HD at 10 frames a second.
    public var maximumAnimationPixels = 1 << 36

    // MARK: Memory

    /// Most bytes of the pixel buffer that a decode or a processor returns, and of the coefficients that a JPEG of several
    /// scans keeps while it is decoded. Default: 1 GiB, ``maximumPixels`` at four bytes each.
    public var maximumResultBytes = 1 << 30
    /// Most memory in bytes that one decode may hold at once, its result included, by the session's estimate.
    ///
    /// A decode that needs more is refused before anything is allocated for it, also where it is the only one.
    /// Default: half of the machine's memory, or of the control group's limit where that is lower.
    public var maximumWorkingBytes = AvailableMemory.bytes / 2

    // MARK: Time

    /// Most pixels that the scans of a JPEG go over together: a bound on time. A scan counts as 4,096 pixels at least, and
    /// 64 scans are always allowed. Default: 2^32, half a minute; encoders write about 10 scans.
    public var maximumScannedPixels = 1 << 32
    /// Longest that one call may compute before it gives up, looked at between row groups; `nil` for no bound.
    /// Default: 60 s, ten times what the largest image takes.
    public var maximumDecodingTime: Duration? = .seconds(60)

    /// Creates the defaults.
    public init() {}
}
