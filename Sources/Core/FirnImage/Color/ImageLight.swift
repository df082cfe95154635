/// The meaning of sample values as light, as a file states it. A value that the file does not state is `nil`.
///
/// - Source: ITU-T H.273 (07/2021) §8.1 to §8.3; SMPTE ST 2086 (mastering display); CTA-861.3-A (content light).
public struct ImageLight: Hashable, Sendable {
    /// The code point of the primaries and the white point: 1 for sRGB, 9 for BT.2020, 12 for Display P3.
    public var primaries: Int?
    /// The code point of the transfer function: 13 for sRGB, 16 for PQ, 18 for HLG.
    public var transfer: Int?
    /// The code point of the matrix of YCbCr: 0 for RGB, 1 for BT.709, 5 and 6 for BT.601, 9 for BT.2020.
    public var matrix: Int?
    /// True if samples use their whole range; false for the range of video, 16 to 235 of 255.
    public var isFullRange: Bool?
    /// The white point and the primaries of the mastering display.
    package var masteringPrimaries: ColorDescription.Primaries?
    /// The greatest luminance of the mastering display, in cd/m².
    public var masteringPeak: Double?
    /// The least luminance of the mastering display, in cd/m².
    public var masteringBlack: Double?
    /// The luminance of the brightest pixel (MaxCLL), in cd/m².
    public var maximumContentLight: Double?
    /// The greatest average luminance of a frame (MaxFALL), in cd/m².
    public var maximumAverageLight: Double?

    /// Creates a description that states nothing.
    public init() {}

    /// The kind of high dynamic range: `pq` or `hlg`; `nil` for standard range, or if the file does not tell.
    public var dynamicRange: String? { transfer == 16 ? "pq" : transfer == 18 ? "hlg" : nil }

    /// The luminance of the brightest pixel of an image of high dynamic range, in cd/m²: of the content, otherwise of
    /// the mastering display; `nil` if the file states neither.
    public var peak: Double? { dynamicRange == nil ? nil : maximumContentLight ?? masteringPeak }
}

/// A gain map: an image of the factors between a file's base image and another rendition of it, mostly in HDR.
public struct ImageGainMap: Hashable, Sendable {
    /// The metadata that describe the map: `iso` (ISO 21496-1), `ultraHDR` (XMP of Ultra HDR) or `apple`.
    public var kind: String
    /// The headroom of the other rendition in stops: the binary logarithm of its greatest luminance over that of white.
    /// `nil` if the metadata were not found.
    public var headroom: Double?
    /// The size of the map in pixels; `nil` if it was not found.
    public var size: PixelSize?
    /// The number of channels, 1 or 3; `nil` if it was not found.
    public var channels: Int?

    /// Creates the description of a map.
    public init(kind: String, headroom: Double? = nil, size: PixelSize? = nil, channels: Int? = nil) {
        self.kind = kind
        self.headroom = headroom
        self.size = size
        self.channels = channels
    }
}
