import FirnImage

package enum ImgproxyFormat: String, CaseIterable, Sendable, Comparable {
    case jpeg, png, webp, avif, gif, jxl, ico, heic, bmp, tiff, svg

    /// Creates the format from its name in an option; `jpg` is another name of `jpeg`.
    package init?(name: String) {
        if name == "jpg" { self = .jpeg } else { self.init(rawValue: name) }
    }

    init?(mediaType: String) {
        guard let format = Self.allCases.first(where: { $0.imageFormat.mediaType == mediaType }) else {
            return nil
        }
        self = format
    }

    var imageFormat: ImageFormat { ImageFormat(rawValue: rawValue) }
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    package var supportsAnimation: Bool { self == .gif || self == .webp }

    package var supportsAlpha: Bool { self != .jpeg && self != .bmp }

    /// The largest side in pixels that the format stores, or nil if results never reach it.
    package var largestSide: Int? {
        switch self {
        case .webp: 16383
        case .avif, .heic: 16384
        case .gif: 65535
        case .ico: 256
        default: nil
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
