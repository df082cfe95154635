public import FoundationEssentials

/// The properties of an image file, known before pixels are decoded.
public struct ImageProperties: Sendable {
    /// The format, by content.
    public var format: ImageFormat
    /// The size as stored, before orientation.
    public var size: PixelSize
    /// The exact size of a vector image, which is rendered at any requested size; `nil` (the default) for an image of
    /// pixels. ``size`` is this size in whole pixels.
    package var vectorSize: VectorSize?
    /// The rotation and reflection for display.
    public var orientation: ImageOrientation = .up
    /// The number of frames; 1 for a still.
    public var frameCount = 1
    /// The stored duration of each frame; `nil` for a still.
    public var frameDurations: [Duration]?
    /// The stored number of repetitions: 0 forever; `nil` if the file states none.
    public var loopCount: Int?
    /// True if more frames may follow than are known. Set for formats without a frame count in their header (GIF) until
    /// the last byte has arrived. Default: false.
    public var mayGainFrames = false
    /// True if some pixel may be transparent.
    public var hasAlpha = false
    /// The bits of one stored sample.
    public var bitDepth = 8
    /// The color model of the stored samples: `gray`, `rgb`, `ycbcr`, `cmyk`, `ycck`, `lab` or `indexed`.
    public var colorSpace = "rgb"
    /// True if the image is stored in passes (progressive or interlaced).
    public var isProgressive = false
    /// The embedded ICC profile; `nil` if there is no valid one.
    public var colorProfile: ColorProfile?
    /// The colors described by code points or numbers; used if there is no profile, and in PNG before a profile.
    package var colorDescription: ColorDescription?
    /// EXIF data: a TIFF file (EXIF 2.32 §4.5), without the prefix "Exif".
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?
    /// The block of IPTC records (IIM).
    package var iptc: Data?
    /// The author and the rights by a PNG's texts.
    package var author: String?
    package var rights: String?
    /// True if the file has other texts, comments or tags, which are not read.
    package var hasOtherTexts = false
    /// True if the file has a gain map, from which some viewers make an image of high dynamic range. It is not decoded:
    /// the image is the base image. Default: false.
    public var hasGainMap = false
    /// The resolution; taken from EXIF data only if the file states it nowhere else.
    public var resolution: ImageResolution?

    /// Creates the properties of a still of `size` stored pixels; everything else has its default.
    public init(format: ImageFormat, size: PixelSize) {
        self.format = format
        self.size = size
    }

    /// True if the file has a profile of RGB colors, in which an image can keep its values.
    package var hasRGBProfile: Bool { colorProfile?.model == .rgb }

    /// True if the file is an animation, as far as is known: it has several frames with durations. Pages of a document
    /// and sizes of an icon are not an animation.
    public var isAnimation: Bool { frameDurations != nil && frameCount > 1 }

    /// True if the file is an animation, or may prove to be one when more bytes arrive.
    public var mayBeAnimation: Bool { frameDurations != nil || mayGainFrames }

    /// The size after orientation.
    public var displaySize: PixelSize { orientation.displaySize(of: size) }
}
