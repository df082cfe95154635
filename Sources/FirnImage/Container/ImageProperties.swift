public import FoundationEssentials

/// The properties of an image file, known before a pixel is decoded.
public struct ImageProperties: Sendable {
    /// Format by content.
    public var format: ImageFormat
    /// Size as stored, before orientation.
    public var size: PixelSize
    /// How the stored image is turned for display.
    public var orientation: Orientation = .up
    /// Number of animation frames; 1 for a still.
    public var frameCount = 1
    /// How long each frame is shown, in milliseconds as stored; `nil` for a still.
    public var frameDurations: [Int]?
    /// Repetitions as stored: 0 forever; `nil` where the file says nothing.
    public var loopCount: Int?
    /// Whether frames may follow that the bytes so far do not tell of. Set by sessions of formats that have no frame
    /// count in their header (GIF); such a file counts as a possible animation until its last byte. Default: no.
    public var mayGainFrames = false
    /// Whether some pixel may be transparent.
    public var hasAlpha = false
    /// Bits of one sample as stored.
    public var bitDepth = 8
    /// The stored samples' color space: `gray`, `rgb`, `ycbcr`, `cmyk`, `ycck`, `indexed`.
    public var colorSpace = "rgb"
    /// Whether the image is stored in passes (progressive or interlaced).
    public var isProgressive = false
    /// The embedded ICC profile, if there is a valid one.
    public var colorProfile: ColorProfile?
    /// What the file says of its colors by code points or numbers; looked at where there is no profile, or, in PNG,
    /// where it takes precedence.
    package var colorDescription: ColorDescription?
    /// EXIF data: a TIFF file (EXIF 2.32 §4.5), without the "Exif" before it.
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?
    /// Pixels per inch across and down; those of EXIF data only in JPEG, and where nothing else in the file tells.
    public var resolution: Resolution?

    /// Pixels per inch.
    public struct Resolution: Hashable, Sendable {
        /// Pixels per inch of a row.
        public var horizontal: Double
        /// Pixels per inch of a column.
        public var vertical: Double

        /// Creates a resolution.
        public init(horizontal: Double, vertical: Double) {
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }

    /// Properties of a still of `size` stored pixels; the rest has the defaults above.
    public init(format: ImageFormat, size: PixelSize) {
        self.format = format
        self.size = size
    }

    /// Whether the file is an animation, as far as its bytes tell: it has several frames, and they have durations. The
    /// pages of a document and the sizes of an icon are no animation.
    public var isAnimation: Bool { frameDurations != nil && frameCount > 1 }

    /// Whether the file is an animation or may turn out to be one when more bytes come.
    public var mayBeAnimation: Bool { frameDurations != nil || mayGainFrames }

    /// Size after orientation.
    public var displaySize: PixelSize { orientation.displaySize(of: size) }
}
