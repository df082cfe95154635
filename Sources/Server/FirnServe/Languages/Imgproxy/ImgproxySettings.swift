import FirnImage

package struct ImgproxySettings: Sendable {
    /// The pairs that sign paths. A path passes if any pair made its signature.
    package var keyPairs: [ImgproxyKeyPair] = []
    /// The number of bytes of the HMAC that a signature has: 1–32, 32 by default. Values outside are clamped.
    package var signatureSize = 32
    /// Signatures that pass literally.
    package var trustedSignatures: [String] = []
    /// Accepts any signature without `:` if there are no keys. False by default: without keys every path is refused.
    package var isInsecure = false
    /// The start of all paths, such as `/img`. Empty by default.
    package var pathPrefix = ""
    /// Separates the arguments of an option: one ASCII character, `:` by default.
    package var argumentSeparator: UInt8 = UInt8(ascii: ":")
    /// The options of each preset, by name, as `option/option`. `default` is always applied first.
    package var presets: [String: String] = [:]
    /// Reads the first segment as names of presets and allows no options.
    package var onlyPresets = false
    /// The names of options that paths may use; short and long names are apart. Nil (the default) allows all.
    package var allowedOptions: Set<String>?
    /// The quality without `quality` and without an entry in ``formatQuality``.
    package var quality = 80
    /// The quality by format, 1–100.
    package var formatQuality: [ImgproxyFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// The text that is put in front of sources that do not start with it. Empty by default.
    package var baseURL = ""
    /// Drops the last segment of base64 sources, which then is a file name.
    package var base64IncludesFilename = false
    /// Allows `raw`. False by default, since raw responses skip processing.
    package var allowRaw = false
    /// The formats that are chosen for clients that accept them, if the request names no format.
    package var automaticFormats: Set<ImgproxyFormat> = []
    /// The formats that are chosen for clients that accept them, even if the request names a format.
    package var enforcedFormats: Set<ImgproxyFormat> = []
    /// The formats of results without a named format, best first.
    package var preferredFormats: [ImgproxyFormat] = [.jpeg, .png, .gif]
    /// Uses the client hints DPR and Width as defaults of `dpr` and `width`, and Save-Data for less quality.
    package var usesClientHints = false
    /// The lifetime of responses in seconds; 0 means `no-cache`.
    package var timeToLive = 31_536_000
    /// The token that requests have in `Authorization: Bearer`; nil (the default) for none.
    package var secret: String?
    /// Tells clients what is signed of an address whose signature is refused. False by default.
    package var showsSignedText = false
    /// The value of `Access-Control-Allow-Origin`; nil (the default) for no such field.
    package var allowedOrigin: String?
    /// Names HTTP sources in `Link`, as canonical addresses. False by default.
    package var linksSources = false
    /// The file of the image that is served where a source fails; nil (the default) for none.
    package var fallbackImage: String?
    /// The status with which it is served; 0 for that of the failure. Default: 200.
    package var fallbackStatus = 200
    /// The image that `watermark` lays over results; nil (the default) for none.
    package var watermark: Watermark?
    package var limits = ImgproxyLimits()

    package init() {}
}

/// Bounds that keep the cost of a request finite. Values beyond them get 404, results 422.
package struct ImgproxyLimits: Sendable, Equatable {
    package var sourceMegapixels = 50.0
    /// The longest side of a result in pixels; larger results are scaled down. 0 means no limit.
    package var resultSide = 16_384
    /// The most pixels of a result and of each intermediate image.
    package var resultPixels = 50_000_000
    /// The most frames of an animation, of which the first are served. 1 makes animations stills. Those whose served
    /// frames have more than ``sourceMegapixels``, or more than ``resultPixels`` as results, are stills, too.
    package var animationFrames = 100
    /// The most pixels of a result in AVIF, which takes seconds for large images; larger ones become WebP.
    package var avifPixels = 8_000_000
    package var pathBytes = 128 * 1024
    package var options = 64
    /// The largest `width`, `height`, `min-width`, `min-height` and pixel offset.
    package var dimension = 65_535
    package var dpr = 8.0
    package var zoom = 8.0
    /// The largest sigma of `blur` and `sharpen`.
    package var sigma = 100.0
    /// The largest padding of one side, before `dpr`.
    package var padding = 4096

    package init() {}

    /// The limits that decide how a result looks.
    var key: String { "\(resultSide).\(resultPixels).\(sourceMegapixels).\(animationFrames).\(avifPixels)" }
}

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
