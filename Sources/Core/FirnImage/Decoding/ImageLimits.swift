import FirnSync

/// Limits of bytes, pixels, frames, time and memory for an image, as protection against malicious and careless files.
///
/// The same limits apply in ``ImageDecoder``, a pipeline, its processors, the HTTP loader and the command. They are
/// checked before memory is allocated. An image that exceeds a limit fails with the fault `limit`; none of it is kept.
///
/// The defaults allow every image that a camera or a scanner creates.
public struct ImageLimits: Hashable, Sendable {
    // MARK: Input bytes

    /// The maximum bytes of a file, and of a body after decompression. Default: 512 MiB, more than any usual image and
    /// less than a machine's memory.
    public var maximumBytes = 512 << 20
    /// The maximum decompression ratio of a body longer than 16 MiB. Default: 100. SVG compresses 10:1; a decompression
    /// bomb, 1000:1.
    public var maximumExpansion = 100
    /// The maximum number of chunks in which a file is kept; further chunks are joined. Default: 65,536.
    public var maximumChunks = 65_536
    /// The maximum bytes of an ICC profile; a larger profile is ignored. Default: 8 MiB, twice the largest printer
    /// profile.
    public var maximumProfileBytes = 8 << 20

    // MARK: Pixels

    /// The maximum stored pixels of one frame, and of a processor's result. Default: 2^28 (268 megapixels), slightly
    /// more than the largest cameras have.
    public var maximumPixels = 1 << 28
    /// The maximum bytes of one decoded row of samples, before scaling. Default: 16 MiB, 4 million pixels of four
    /// bytes.
    ///
    /// Libraries decode whole rows and hold several of them. JPEG, GIF and WebP have at most 65,535 pixels per row.
    public var maximumRowBytes = 16 << 20
    /// The maximum frames of an animation; an animation with more fails. Further pages of a TIFF, and further images of
    /// a HEIC file without a sequence, are ignored. Default: 65,536.
    public var maximumFrames = 65_536
    /// The maximum stored pixels of all frames of an animation; further frames are ignored. Default: 2^36, an hour of
    /// full HD at 10 frames a second.
    public var maximumAnimationPixels = 1 << 36

    // MARK: Memory

    /// The maximum bytes of the pixel buffer that a decode or a processor returns, and of the coefficients of a
    /// multi-scan JPEG. Default: 1 GiB, ``maximumPixels`` at four bytes each.
    public var maximumResultBytes = 1 << 30
    /// The maximum estimated memory of one decode in bytes, including the result. A decode that needs more fails before
    /// it allocates.
    ///
    /// Default: half of the machine's memory, or of the control group's limit if that is lower.
    public var maximumWorkingBytes = AvailableMemory.bytes / 2

    // MARK: Time

    /// The maximum pixels that all scans of a JPEG together process, which limits time. Each scan counts as at least
    /// 4,096 pixels, and 64 scans are always allowed. Default: 2^32, half a minute; encoders write about 10 scans.
    public var maximumScannedPixels = 1 << 32
    /// The maximum computing time of one call, checked between groups of rows; `nil` for no limit. Default: 60 s, ten
    /// times as long as the largest image takes.
    public var maximumDecodingTime: Duration? = .seconds(60)

    /// Creates the defaults.
    public init() {}
}

extension Duration {
    /// The duration in milliseconds, rounded to nearest and clamped to 64 bits.
    package var wholeMilliseconds: Int {
        let (seconds, rest) = saturatingAdd(.microseconds(self < .zero ? -500 : 500)).components
        return Int(clamping: seconds.saturatingMultiply(1_000).saturatingAdd(rest / 1_000_000_000_000_000))
    }

    /// Returns the sum, clamped to 64 bits of seconds (292 billion years).
    package func saturatingAdd(_ other: Duration) -> Duration {
        let seconds = components.seconds.saturatingAdd(other.components.seconds)
        // The fractions of both are less than two seconds.
        let isWithin = seconds < Int64.max - 2 && seconds > Int64.min + 2
        return isWithin ? self + other : .seconds(seconds)
    }
}
