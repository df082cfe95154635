public import FoundationEssentials

/// The properties of an image file, known before pixels are decoded.
public struct ImageProperties: Sendable {
    /// The format, by content.
    public var format: ImageFormat
    /// The size as stored, before orientation.
    public var size: PixelSize
    /// The number of columns as stored.
    public var width: Int { size.width }
    /// The number of rows as stored.
    public var height: Int { size.height }
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
    /// The colors described by code points or numbers; used if there is no profile, and preferred to a profile in PNG.
    package var colorDescription: ColorDescription? {
        didSet {
            light.primaries = colorDescription?.primariesCode ?? light.primaries
            light.transfer = colorDescription?.transferCode ?? light.transfer
        }
    }
    /// EXIF data: a TIFF file (EXIF 2.32 §4.5), without the prefix "Exif".
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?
    /// The part of a JPEG's XMP packet that did not fit into its segment.
    package var extendedXMP: Data?
    /// The block of IPTC records (IIM 4.2).
    public var iptc: Data?
    /// The MD5 digest of the IPTC records that a program with knowledge of XMP wrote last.
    package var iptcDigest: Data?
    /// The uncompressed texts of the file: the comment of a JPEG or GIF (`Comment`), the texts of a PNG by their
    /// keywords, and those of a TIFF (`DocumentName`, `PageName`). At most 64 KiB each; of equal keywords the first.
    public var texts: [String: String] = [:]
    /// True if the file has other texts, comments or tags, which are ignored.
    package var hasOtherTexts = false
    /// The colors and the luminance of the samples, as far as the file states them apart from ``colorProfile``.
    public var light = ImageLight()
    /// The gain map, which some viewers use to show the image in HDR; `nil` (the default) if there is none. Frames
    /// show the base image; ``ImageDecoder/gainMap()`` decodes the map.
    public var gainMap: ImageGainMap?
    /// True if the file has a gain map.
    public var hasGainMap: Bool { gainMap != nil }
    /// The resolution; taken from EXIF data only if the file states it nowhere else.
    public var resolution: ImageResolution?

    /// Creates the properties of a still of `size` stored pixels; everything else has its default.
    public init(format: ImageFormat, size: PixelSize) {
        self.format = format
        self.size = size
    }

    /// True if the file has an RGB profile, so that an image can keep its color values.
    package var hasRGBProfile: Bool { colorProfile?.model == .rgb }

    /// True if the file is known to be an animation: it has several frames with durations. Pages of a document and
    /// sizes of an icon are not an animation.
    public var isAnimation: Bool { frameDurations != nil && frameCount > 1 }

    /// True if the file is an animation, or may prove to be one when more bytes arrive.
    public var mayBeAnimation: Bool { frameDurations != nil || mayGainFrames }

    /// The size after orientation.
    public var displaySize: PixelSize { orientation.displaySize(of: size) }

    /// The extent of the upright image.
    package var extent: ImageExtent { extent(of: orientation) }

    /// The extent of the image in an orientation.
    package func extent(of orientation: ImageOrientation) -> ImageExtent {
        let stored = ImageExtent(size, vector: vectorSize)
        return orientation.transposes ? stored.transposed : stored
    }

    /// The number of plays, computed from ``loopCount``.
    ///
    /// GIF stores the number of repetitions after the first play. APNG, WebP and JPEG XL store the total number of
    /// plays. In all of them, 0 means forever. A file without a number is played once, except for AVIF and HEIC
    /// sequences, which browsers and Apple's systems repeat forever.
    ///
    /// The number may arrive late in the file; until then the animation counts as played once.
    ///
    /// - Source: Netscape application extension of GIF as WebKit and Chromium read it; PNG (third edition) §11.3.4.1
    ///   `acTL` `num_plays`; RFC 9649 §2.7.1.1 "Loop Count"; ISO/IEC 18181-1 `num_loops`.
    public var repetitionCount: RepetitionCount {
        guard let loopCount else {
            // HEIC images that are not a sequence have no durations.
            let isSequence = format == .avif || (format == .heic && frameDurations != nil)
            return isSequence && frameCount > 1 ? .forever : .once
        }
        // Formats cannot store negative numbers.
        guard loopCount > 0 else { return loopCount == 0 ? .forever : .once }
        guard format == .gif else { return .plays(loopCount) }
        let (plays, overflow) = loopCount.addingReportingOverflow(1)
        return overflow ? .forever : .plays(plays)
    }
}

extension TargetSize {
    /// Returns the size at which a file's image fits or fills the target, keeping its aspect ratio.
    ///
    /// A vector image gets the target's size even if its own size is smaller. Its aspect ratio is that of the exact
    /// sides, and no side is longer than 32,767 pixels.
    public func resolved(for properties: ImageProperties) -> PixelSize { resolved(for: properties.extent) }
}

/// The properties of one frame of an animation, or of one page or image of a multi-image file.
public struct FrameProperties: Hashable, Sendable {
    /// The size of the frame when decoded without a target: the canvas of an animation, otherwise the page's own size.
    public var size: PixelSize
    /// The stored duration; `nil` if the file states none.
    public var duration: Duration?
    /// True if some pixel may be transparent.
    public var hasAlpha: Bool
    /// True if all bytes of the frame's own pixels have arrived.
    public var isComplete: Bool
    /// The rotation and reflection of a page for display; `nil` (the default) if the file's orientation applies.
    public var orientation: ImageOrientation?

    /// Creates properties of a frame.
    public init(
        size: PixelSize, duration: Duration? = nil, hasAlpha: Bool = false, isComplete: Bool = false,
        orientation: ImageOrientation? = nil
    ) {
        self.size = size
        self.duration = duration
        self.hasAlpha = hasAlpha
        self.isComplete = isComplete
        self.orientation = orientation
    }

    /// The duration for which browsers and Firn show the frame; `nil` if the file does not state a duration.
    ///
    /// 10 ms and less become 100 ms, because many old files store 0 and rely on this.
    ///
    /// - Source: WebKit `ScalableImageDecoderFrame`, Chromium `ImageFrame`: durations below 11 ms.
    public var displayDuration: Duration? {
        duration.map { $0 <= .milliseconds(10) ? .milliseconds(100) : $0 }
    }
}

/// The number of times that an animation is played.
public enum RepetitionCount: Hashable, Sendable {
    /// A total number of plays, at least one. The last frame then stays.
    case plays(Int)
    /// Without end.
    case forever

    /// A single play, the default for files that state no number.
    public static let once = RepetitionCount.plays(1)

    /// Returns whether an animation is over after `count` plays.
    public func isOver(after count: Int) -> Bool {
        switch self {
        case .plays(let plays): count >= plays
        case .forever: false
        }
    }
}

/// The pixels per inch, which give the printed size of an image.
public struct ImageResolution: Hashable, Sendable {
    /// Pixels per inch of a row.
    public var horizontal: Double
    /// Pixels per inch of a column.
    public var vertical: Double

    /// Creates a resolution.
    public init(horizontal: Double, vertical: Double) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The resolution with its sides exchanged, for an image that is rotated by a quarter turn.
    package var transposed: ImageResolution { ImageResolution(horizontal: vertical, vertical: horizontal) }

    /// Returns the resolution that keeps the printed size of an image resized from `size` to `other`.
    package func resized(from size: PixelSize, to other: PixelSize) -> ImageResolution? {
        guard !size.isEmpty, !other.isEmpty else { return nil }
        return ImageResolution(
            horizontal: horizontal * Double(other.width) / Double(size.width),
            vertical: vertical * Double(other.height) / Double(size.height))
    }
}
