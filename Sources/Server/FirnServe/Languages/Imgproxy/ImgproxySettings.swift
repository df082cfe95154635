package struct ImgproxySettings: Sendable {
    /// The key pairs. A path is accepted if any pair made its signature.
    package var keyPairs: [ImgproxyKeyPair] = []
    /// The number of HMAC bytes in a signature: 1–32, 32 by default. Other values are clamped.
    var signatureSize = 32
    /// Signatures that are accepted literally.
    var trustedSignatures: [String] = []
    /// True to accept any signature without `:` if there are no keys. False by default: without keys every path is
    /// refused.
    var isInsecure = false
    /// The prefix of all paths, such as `/img`. Empty by default.
    var pathPrefix = ""
    /// The separator of arguments: one ASCII character, `:` by default.
    var argumentSeparator: UInt8 = UInt8(ascii: ":")
    /// The options of each preset, by name, as `option/option`. `default` is always applied first.
    var presets: [String: String] = [:]
    /// True to read the first segment as preset names and allow no options.
    var onlyPresets = false
    /// The names of allowed options; short and long names count separately. Nil (the default) allows all.
    var allowedOptions: Set<String>?
    /// The quality without `quality` and without an entry in ``formatQuality``.
    var quality = 80
    /// The quality by format, 1–100.
    var formatQuality: [ImgproxyFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// The effort of encoders.
    var effort = EncodingEffort()
    /// The defaults of the options `strip_metadata` and `keep_copyright`.
    var stripMetadata = true
    var keepCopyright = true
    /// The prefix that is added to sources that do not start with it. Empty by default.
    var baseURL = ""
    /// True to drop the last segment of base64 sources, which is then a file name.
    var base64IncludesFilename = false
    /// True to allow `raw`. False by default, since raw responses skip processing.
    var allowRaw = false
    /// The formats for clients that accept them, if the request names no format.
    var automaticFormats: Set<ImgproxyFormat> = []
    /// The formats for clients that accept them, even if the request names a format.
    var enforcedFormats: Set<ImgproxyFormat> = []
    /// The preferred formats if none is named, best first.
    var preferredFormats: [ImgproxyFormat] = [.jpeg, .png, .gif]
    /// True to use the client hints DPR and Width as defaults of `dpr` and `width`, and Save-Data for a lower quality.
    var usesClientHints = false
    /// The lifetime of responses in seconds; 0 means `no-cache`.
    var timeToLive = 31_536_000
    /// True (the default) if the freshness that a source states bounds ``timeToLive``.
    var followsSources = true
    /// The required token in `Authorization: Bearer`; nil (the default) for none.
    var secret: String?
    /// True to show the signed text to clients with a wrong signature. False by default.
    var showsSignedText = false
    /// The value of `Access-Control-Allow-Origin`; nil (the default) for no such field.
    var allowedOrigin: String?
    /// True to send HTTP sources as canonical addresses in `Link`. False by default.
    var linksSources = false
    /// The path of the image that is served if a source fails; nil (the default) for none.
    var fallbackImage: String?
    /// The status of that response; 0 keeps the status of the failure. Default: 200.
    var fallbackStatus = 200
    /// The image of the option `watermark`; nil (the default) for none.
    var watermark: Watermark?
    var limits = ImgproxyLimits()

    package init() {}

    // Format negotiation.

    /// Returns a key that is equal for clients whose results have the same format for every source.
    func negotiationKey(requested: ImgproxyFormat?, accept: String) -> String {
        let formats = requested == nil ? automaticFormats.union(enforcedFormats) : enforcedFormats
        let accepted = [false, true].map { candidates(accept, isAnimated: $0, among: formats)?.rawValue ?? "" }
        let preferred = requested == nil ? preferredFormats.map(\.rawValue) : []
        return "\(requested?.rawValue ?? "auto")/\(accepted.joined(separator: "."))/\(preferred.joined(separator: "."))"
    }

    /// Returns the configured format with the highest quality value of those that `accept` names.
    ///
    /// Among equals, the order is JPEG XL, AVIF, WebP. `image/*` names none of them: clients without support send it,
    /// too. Animated sources allow only WebP.
    func accepted(_ accept: String, isAnimated: Bool = false) -> ImgproxyFormat? {
        candidates(accept, isAnimated: isAnimated, among: automaticFormats.union(enforcedFormats))
    }

    func format(
        requested: ImgproxyFormat?, accept: String, source: ImgproxyFormat, isAnimated: Bool, hasAlpha: Bool
    ) -> ImgproxyFormat {
        if let requested {
            return candidates(accept, isAnimated: isAnimated, among: enforcedFormats) ?? requested
        }
        if source == .svg { return .svg }
        if let best = accepted(accept, isAnimated: isAnimated) { return best }
        if preferredFormats.contains(source) { return source }
        return preferredFormats.first {
            (!isAnimated || $0.supportsAnimation) && (!hasAlpha || $0.supportsAlpha)
        } ?? preferredFormats.first ?? (hasAlpha ? .png : .jpeg)
    }

    /// The value of `Vary`, even if no format matched; nil if nothing is negotiated.
    var vary: String? {
        var names: [String] = []
        if !automaticFormats.isEmpty || !enforcedFormats.isEmpty { names.append("Accept") }
        if usesClientHints { names += ImgproxyClientHints.fields }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private func candidates(_ accept: String, isAnimated: Bool, among formats: Set<ImgproxyFormat>) -> ImgproxyFormat? {
        let order: [ImgproxyFormat] = isAnimated ? [.webp] : [.jxl, .avif, .webp]
        let weights = FieldList.weights(formats.isEmpty ? "" : accept)
        let weighted = order.map { (format: $0, weight: formats.contains($0) ? weights["image/\($0)"] ?? 0 : 0) }
        let most = weighted.map(\.weight).max() ?? 0
        return most > 0 ? weighted.first { $0.weight == most }?.format : nil
    }
}

/// The limits of a request. Option values beyond them get 404, results 422.
struct ImgproxyLimits: Sendable, Equatable {
    var sourceMegapixels = 50.0
    /// The maximum side of a result in pixels; larger results are scaled down. 0 means no limit.
    var resultSide = 16_384
    /// The maximum number of pixels of a result and of each intermediate image.
    var resultPixels = 50_000_000
    /// The maximum number of frames of an animation; later frames are dropped. 1 makes animations stills. An animation
    /// whose served frames exceed ``sourceMegapixels``, or ``resultPixels`` as results, becomes a still, too.
    var animationFrames = 100
    /// The maximum number of pixels of an AVIF result, which takes seconds for large images; larger results become
    /// WebP.
    var avifPixels = 8_000_000
    var pathBytes = 128 * 1024
    var options = 64
    /// The maximum `width`, `height`, `min-width`, `min-height` and pixel offset.
    var dimension = 65_535
    var dpr = 8.0
    var zoom = 8.0
    /// The maximum sigma of `blur` and `sharpen`.
    var sigma = 100.0
    /// The maximum padding of one side, before `dpr`.
    var padding = 4096

    /// The limits that affect results.
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

    /// The maximum side in pixels of the format, or nil if results never reach it.
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

struct ImgproxyClientHints: Sendable, Equatable {
    static let fields = ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width", "Save-Data"]

    /// The pixel ratio from `Sec-CH-DPR` or `DPR`; nil if absent or invalid.
    var dpr: Double?
    /// The width in physical pixels from `Sec-CH-Width` or `Width`; nil if absent or invalid.
    var width: Int?
    /// True if the client asks for less data with `Save-Data`.
    var savesData: Bool

    /// Parses header values. Invalid values are ignored.
    init(dpr: String? = nil, width: String? = nil, saveData: String? = nil) {
        self.dpr = dpr.flatMap { ImgproxyText.number($0) }.flatMap { (0.001...8).contains($0) ? $0 : nil }
        self.width = width.flatMap { Int($0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
        // Parameters of the token are reserved (Save Data API, section 4).
        let token = saveData?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        savesData = token?.lowercased() == "on"
    }

    /// Sets defaults, which presets and options override.
    func apply(to options: inout ImgproxyOptions) {
        if let dpr, !savesData { options.dpr = dpr }
        if let width { options.width = max(1, ImgproxyRounding.round(Double(width) / (dpr ?? options.dpr))) }
        options.savesData = savesData
    }
}
