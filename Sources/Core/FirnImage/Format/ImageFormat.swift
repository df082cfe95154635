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
}

extension ImageFormat {
    /// Creates the format that the ending of a name stands for, without the dot. `jpg` and `tif` are common spellings.
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
    public var mediaType: String? {
        switch self {
        case .ico: "image/x-icon"
        case .svg: "image/svg+xml"
        case .jpeg, .png, .apng, .gif, .webp, .avif, .heic, .jxl, .tiff, .bmp, .qoi: "image/\(rawValue)"
        default: nil
        }
    }
}
