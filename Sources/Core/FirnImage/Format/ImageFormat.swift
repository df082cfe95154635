/// A file format of images, named as `firn info` prints it.
///
/// A struct, so that a custom decoder can define a format.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The format's short name in lower case.
    public let rawValue: String

    /// Creates a format from a short name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// JPEG (ISO/IEC 10918-1).
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG without animation (W3C PNG, third edition).
    public static let png = ImageFormat(rawValue: "png")
    /// PNG with an animation (`acTL` before the first `IDAT`).
    public static let apng = ImageFormat(rawValue: "apng")
    /// GIF 87a and 89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// WebP, lossy, lossless and animated (RFC 9649).
    public static let webp = ImageFormat(rawValue: "webp")
    /// AVIF, still and sequence.
    public static let avif = ImageFormat(rawValue: "avif")
    /// HEIC and HEIF.
    public static let heic = ImageFormat(rawValue: "heic")
    /// JPEG XL, bare codestream or container.
    public static let jxl = ImageFormat(rawValue: "jxl")
    /// TIFF and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Windows icon and cursor.
    public static let ico = ImageFormat(rawValue: "ico")
    /// Quite OK Image.
    public static let qoi = ImageFormat(rawValue: "qoi")
    /// Scalable Vector Graphics.
    public static let svg = ImageFormat(rawValue: "svg")

    /// The format's short name.
    public var description: String { rawValue }

    /// Creates the format of a file extension, given without the dot. Accepts the common spellings `jpg` and `tif`.
    package init(ending: String) {
        switch ending.lowercased() {
        case "jpg": self = .jpeg
        case "tif": self = .tiff
        case let name: self.init(rawValue: name)
        }
    }

    /// The media type in HTTP and data URLs; `nil` for formats without one.
    ///
    /// - Source: IANA's registry of media types; `image/x-icon`, `image/bmp` and `image/qoi` as programs use them.
    public var mediaType: String? { KnownFormat.of(self)?.mediaType }
}

/// A format that Firn recognizes, with its properties outside the decoder. To add a format, add a row to ``all``.
package struct KnownFormat: Sendable {
    package let format: ImageFormat
    let mediaType: String
    /// The file extensions, the usual one first.
    package let endings: [String]
    /// The package trait that adds the format's library to a build; `nil` for formats in every build.
    package let trait: String?
    /// The signatures of its files; `?` matches any byte.
    let signatures: [[UInt8]]

    private init(
        _ format: ImageFormat, endings: [String]? = nil, mediaType: String? = nil, trait: String? = nil,
        startsWith signatures: String...
    ) {
        self.format = format
        self.mediaType = mediaType ?? "image/\(format)"
        self.endings = endings ?? [format.rawValue]
        self.trait = trait
        // Each character is a byte.
        self.signatures = signatures.map { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    }

    /// Returns the known format; `nil` for a format that a program defines.
    package static func of(_ format: ImageFormat) -> KnownFormat? { all.first { $0.format == format } }

    /// The formats, in the order in which they are tried. Only the first of several formats that start alike has the
    /// signature.
    package static let all = [
        KnownFormat(.jpeg, endings: ["jpg", "jpeg", "jpe", "jfif"], startsWith: "\u{FF}\u{D8}\u{FF}"),
        KnownFormat(.png, startsWith: "\u{89}PNG\r\n\u{1A}\n"),
        KnownFormat(.apng, endings: ["png", "apng"]),
        KnownFormat(.gif, startsWith: "GIF87a", "GIF89a"),
        KnownFormat(.webp, startsWith: "RIFF????WEBP"),
        KnownFormat(.jxl, trait: "JPEGXL", startsWith: "\u{FF}\n", "\0\0\0\u{C}JXL \r\n\u{87}\n"),
        KnownFormat(.avif, trait: "AVIF", startsWith: "????ftyp"),
        KnownFormat(.heic, endings: ["heic", "heif", "hif"], trait: "HEIC"),
        KnownFormat(.tiff, endings: ["tif", "tiff"], trait: "TIFF", startsWith: "II*\0", "MM\0*", "II+\0", "MM\0+"),
        KnownFormat(.bmp, startsWith: "BM"),
        KnownFormat(.qoi, startsWith: "qoif"),
        KnownFormat(
            .ico, endings: ["ico", "cur"], mediaType: "image/x-icon", startsWith: "\0\0\u{1}\0", "\0\0\u{2}\0"),
        KnownFormat(.svg, mediaType: "image/svg+xml", trait: "SVG"),
    ]
}
