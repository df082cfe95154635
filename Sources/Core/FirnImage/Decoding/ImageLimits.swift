import FirnSync

/// Limits of bytes, pixels, frames, time and memory for an image, which protect against malicious and careless files.
///
/// The same limits apply in ``ImageDecoder``, a pipeline, its processors, the HTTP loader and the command. They are
/// checked before memory is allocated. An image that exceeds one fails with the fault `limit`, and nothing of it is
/// kept.
///
/// The defaults admit every image that a camera or a scanner creates.
public struct ImageLimits: Hashable, Sendable {
    // MARK: Bytes that come in

    /// The most bytes of a file, and of a body after decompression. Default: 512 MiB, more than any usual image, less
    /// than the memory of a machine.
    public var maximumBytes = 512 << 20
    /// The most times that decompression may enlarge a body, once it is longer than 16 MiB. Default: 100. SVG shrinks
    /// to a tenth; a decompression bomb shrinks to a thousandth.
    public var maximumExpansion = 100
    /// The most pieces in which a file is kept; further ones are joined. Default: 65,536.
    public var maximumChunks = 65_536
    /// The most bytes of an ICC profile; a larger one is ignored. Default: 8 MiB, twice the largest of printers.
    public var maximumProfileBytes = 8 << 20

    // MARK: Pixels

    /// The most stored pixels of one frame, and of a processor's result. Default: 2^28 (268 megapixels), a little more
    /// than the largest cameras have.
    public var maximumPixels = 1 << 28
    /// The most bytes of one decoded row of samples, before it is reduced. Default: 16 MiB, 4 million pixels of four
    /// bytes.
    ///
    /// Libraries decode whole rows and hold several of them. JPEG, GIF and WebP have at most 65,535 pixels a row.
    public var maximumRowBytes = 16 << 20
    /// The most frames of an animation; one with more fails. Of the pages of a TIFF and the images of a HEIC file that
    /// is no sequence, later ones are not counted. Default: 65,536.
    public var maximumFrames = 65_536
    /// The most stored pixels of all frames of an animation; frames beyond are ignored. Default: 2^36, an hour of full
    /// HD at 10 frames a second.
    public var maximumAnimationPixels = 1 << 36

    // MARK: Memory

    /// The most bytes of the pixel buffer that a decode or a processor returns, and of the coefficients of a JPEG of
    /// several scans. Default: 1 GiB, ``maximumPixels`` at four bytes each.
    public var maximumResultBytes = 1 << 30
    /// The most bytes that one decode may hold at once, its result included, by the session's estimate. A decode that
    /// needs more fails before it allocates.
    ///
    /// Default: half of the machine's memory, or of the control group's limit if that is lower.
    public var maximumWorkingBytes = AvailableMemory.bytes / 2

    // MARK: Time

    /// The most pixels that all scans of a JPEG together process, which limits time. Each scan counts as at least 4,096
    /// pixels, and 64 scans are always allowed. Default: 2^32, half a minute; encoders write about 10 scans.
    public var maximumScannedPixels = 1 << 32
    /// The longest time that one call may compute, checked between groups of rows; `nil` for no limit. Default: 60 s,
    /// ten times what the largest image takes.
    public var maximumDecodingTime: Duration? = .seconds(60)

    /// Creates the defaults.
    public init() {}
}

extension Duration {
    /// The duration in milliseconds, rounded to nearest, at the limits of 64 bits if it lies beyond.
    package var wholeMilliseconds: Int {
        let (seconds, rest) = saturatingAdd(.microseconds(self < .zero ? -500 : 500)).components
        return Int(clamping: seconds.saturatingMultiply(1_000).saturatingAdd(rest / 1_000_000_000_000_000))
    }

    /// Returns the sum, at the limits of 64 bits of seconds (292 billion years) if it lies beyond.
    package func saturatingAdd(_ other: Duration) -> Duration {
        let seconds = components.seconds.saturatingAdd(other.components.seconds)
        // The fractions of both are less than two seconds.
        let isWithin = seconds < Int64.max - 2 && seconds > Int64.min + 2
        return isWithin ? self + other : .seconds(seconds)
    }
}
