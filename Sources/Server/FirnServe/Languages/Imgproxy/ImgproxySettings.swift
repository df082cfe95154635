import FirnImage

package struct ImgproxySettings: Sendable {
    /// The pairs that sign paths. A path passes if any pair made its signature.
    package var keyPairs: [ImgproxyKeyPair] = []
    /// The number of bytes of the HMAC that a signature has: 1–32, 32 by default. Values outside are clamped.
    var signatureSize = 32
    /// Signatures that pass literally.
    var trustedSignatures: [String] = []
    /// Accepts any signature without `:` if there are no keys. False by default: without keys every path is refused.
    var isInsecure = false
    /// The start of all paths, such as `/img`. Empty by default.
    var pathPrefix = ""
    /// Separates the arguments of an option: one ASCII character, `:` by default.
    var argumentSeparator: UInt8 = UInt8(ascii: ":")
    /// The options of each preset, by name, as `option/option`. `default` is always applied first.
    var presets: [String: String] = [:]
    /// Reads the first segment as names of presets and allows no options.
    var onlyPresets = false
    /// The names of options that paths may use; short and long names are apart. Nil (the default) allows all.
    var allowedOptions: Set<String>?
    /// The quality without `quality` and without an entry in ``formatQuality``.
    var quality = 80
    /// The quality by format, 1–100.
    var formatQuality: [ImgproxyFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// The text that is put in front of sources that do not start with it. Empty by default.
    var baseURL = ""
    /// Drops the last segment of base64 sources, which then is a file name.
    var base64IncludesFilename = false
    /// Allows `raw`. False by default, since raw responses skip processing.
    var allowRaw = false
    /// The formats that are chosen for clients that accept them, if the request names no format.
    var automaticFormats: Set<ImgproxyFormat> = []
    /// The formats that are chosen for clients that accept them, even if the request names a format.
    var enforcedFormats: Set<ImgproxyFormat> = []
    /// The formats of results without a named format, best first.
    var preferredFormats: [ImgproxyFormat] = [.jpeg, .png, .gif]
    /// Uses the client hints DPR and Width as defaults of `dpr` and `width`, and Save-Data for less quality.
    var usesClientHints = false
    /// The lifetime of responses in seconds; 0 means `no-cache`.
    var timeToLive = 31_536_000
    /// The token that requests have in `Authorization: Bearer`; nil (the default) for none.
    var secret: String?
    /// Shows the signed text to clients whose signature is refused. False by default.
    var showsSignedText = false
    /// The value of `Access-Control-Allow-Origin`; nil (the default) for no such field.
    var allowedOrigin: String?
    /// Names HTTP sources in `Link`, as canonical addresses. False by default.
    var linksSources = false
    /// The file of the image that is served where a source fails; nil (the default) for none.
    var fallbackImage: String?
    /// The status of that response; 0 keeps the status of the failure. Default: 200.
    var fallbackStatus = 200
    /// The image that `watermark` lays over results; nil (the default) for none.
    var watermark: Watermark?
    var limits = ImgproxyLimits()

    package init() {}
}

/// Bounds that keep the cost of a request finite. Values beyond them get 404, results 422.
struct ImgproxyLimits: Sendable, Equatable {
    var sourceMegapixels = 50.0
    /// The longest side of a result in pixels; larger results are scaled down. 0 means no limit.
    var resultSide = 16_384
    /// The most pixels of a result and of each intermediate image.
    var resultPixels = 50_000_000
    /// The most frames of an animation, of which the first are served. 1 makes animations stills. Those whose served
    /// frames have more than ``sourceMegapixels``, or more than ``resultPixels`` as results, are stills, too.
    var animationFrames = 100
    /// The most pixels of a result in AVIF, which takes seconds for large images; larger ones become WebP.
    var avifPixels = 8_000_000
    var pathBytes = 128 * 1024
    var options = 64
    /// The largest `width`, `height`, `min-width`, `min-height` and pixel offset.
    var dimension = 65_535
    var dpr = 8.0
    var zoom = 8.0
    /// The largest sigma of `blur` and `sharpen`.
    var sigma = 100.0
    /// The largest padding of one side, before `dpr`.
    var padding = 4096

    /// The limits that decide how a result looks.
    var key: String { "\(resultSide).\(resultPixels).\(sourceMegapixels).\(animationFrames).\(avifPixels)" }
}

enum ImgproxyFormat: String, CaseIterable, Sendable, Comparable {
    case jpeg, png, webp, avif, gif, jxl, ico, heic, bmp, tiff, svg

    /// Creates the format from its name in an option; `jpg` is another name of `jpeg`.
    init?(name: String) {
        if name == "jpg" { self = .jpeg } else { self.init(rawValue: name) }
    }

    init?(mediaType: String) {
        guard let format = Self.allCases.first(where: { $0.imageFormat.mediaType == mediaType }) else { return nil }
        self = format
    }

    var imageFormat: ImageFormat { ImageFormat(rawValue: rawValue) }
    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    var supportsAnimation: Bool { self == .gif || self == .webp }

    var supportsAlpha: Bool { self != .jpeg && self != .bmp }

    /// The largest side in pixels that the format stores, or nil if results never reach it.
    var largestSide: Int? {
        switch self {
        case .webp: 16383
        case .avif, .heic: 16384
        case .gif: 65535
        case .ico: 256
        default: nil
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
