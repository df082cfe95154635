public import Firn

/// ``/FirnImage/ImageFormat``. Its raw values are short names such as `jpeg`, not uniform type identifiers.
public typealias AssetType = ImageFormat

extension ImageFormat {
    /// Detects the format of a file by its first bytes; returns `nil` if Firn does not know it.
    public init?(_ data: Data) {
        guard let format = ImageFormat.sniff(data) else { return nil }
        self = format
    }

    /// Videos are not decoded.
    @available(*, unavailable, message: "videos are not decoded; sequences of AVIF, HEIC, WebP, PNG and GIF are")
    public static var mp4: ImageFormat { ImageFormat(rawValue: "mp4") }
    /// Videos are not decoded.
    @available(*, unavailable, message: "videos are not decoded; sequences of AVIF, HEIC, WebP, PNG and GIF are")
    public static var m4v: ImageFormat { ImageFormat(rawValue: "m4v") }
    /// Videos are not decoded.
    @available(*, unavailable, message: "videos are not decoded; sequences of AVIF, HEIC, WebP, PNG and GIF are")
    public static var mov: ImageFormat { ImageFormat(rawValue: "mov") }
}
