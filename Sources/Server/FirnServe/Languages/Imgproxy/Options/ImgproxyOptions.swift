/// The normalized options of a request, with imgproxy's defaults.
struct ImgproxyOptions: Sendable, Equatable {
    enum ResizingType: String, Sendable, CaseIterable {
        case fit, fill, force, auto
        case fillDown = "fill-down"
    }

    /// Extending a result to a canvas.
    struct Extend: Sendable, Equatable {
        var isEnabled = false
        var gravity = ImgproxyGravity()
    }

    /// Cropping a source before it is resized.
    struct Crop: Sendable, Equatable {
        /// Pixels from 1, a share of the side below 1, everything if 0.
        var width = 0.0
        /// Pixels from 1, a share of the side below 1, everything if 0.
        var height = 0.0
        /// Nil uses the gravity of the request.
        var gravity: ImgproxyGravity?
    }

    /// Cutting a uniform border.
    struct Trimming: Sendable, Equatable {
        var tolerance = 0.0
        /// Nil uses the color of the top left pixel.
        var color: SRGBColor?
        var equalHorizontal = false
        var equalVertical = false
    }

    /// Padding in pixels before `dpr`.
    struct Padding: Sendable, Equatable {
        var top = 0
        var right = 0
        var bottom = 0
        var left = 0
    }

    /// The watermark on a result.
    struct Watermark: Sendable, Equatable {
        enum Image: Sendable, Equatable {
            /// The image of the configuration.
            case configured
            case address(String)
            case text(WatermarkText)
        }

        var image = Image.configured
        /// 0–1; 0 means no watermark.
        var opacity = 0.0
        /// Nil (`re`) tiles the watermark; the offsets are then gaps.
        var position: ImgproxyGravity.Position? = .center
        var x = 0.0
        var y = 0.0
        /// A share of the result; 0 keeps the watermark's size.
        var scale = 0.0
    }

    /// The changes of colors, in their order.
    struct Colors: Sendable, Equatable {
        /// -255 to 255: the levels that are added.
        var brightness = 0.0
        var contrast = 1.0
        var saturation = 1.0
        /// The intensities of the other effects, 0 to 1.
        var (grayscale, monochrome, duotone) = (0.0, 0.0, 0.0)
        /// The color of white in `monochrome`.
        var base = SRGBColor(red: 179, green: 179, blue: 179)
        /// The colors of black and white in `duotone`.
        var (dark, light) = (SRGBColor(red: 0, green: 0, blue: 0), SRGBColor.white)

        /// The steps of the changes other than the defaults.
        var steps: [ImageProcessors.ColorMatrix] {
            [
                .brightness(brightness / 255), .contrast(contrast), .saturation(saturation), .grayscale(grayscale),
                .tint(base, monochrome), .duotone(dark: dark, light: light, duotone),
            ].filter { $0 != .unchanged }
        }
    }

    var resizingType = ResizingType.fit
    var width = 0
    var height = 0
    var minWidth = 0
    var minHeight = 0
    var zoomX = 1.0
    var zoomY = 1.0
    var dpr = 1.0
    var enlarge = false
    var extend = Extend()
    var extendAspectRatio = Extend()
    var gravity = ImgproxyGravity()
    var crop: Crop?
    var trim: Trimming?
    var padding = Padding()
    var autoRotate = true
    /// Clockwise degrees after EXIF orientation: 0, 90, 180 or 270.
    var rotation = 0
    var flipHorizontal = false
    var flipVertical = false
    var background: SRGBColor?
    var blur = 0.0
    var sharpen = 0.0
    var pixelate = 1
    var colors = Colors()
    /// The radius of the corners in pixels before `dpr`.
    var cornerRadius = 0
    var watermark = Watermark()
    var stripMetadata = true
    var keepCopyright = true
    var stripColorProfile = true
    var preserveHDR = false
    var enforceThumbnail = false
    /// The page or frame, from 0, unless the result is an animation.
    var page = 0
    /// 0 means the quality by format.
    var quality = 0
    var formatQuality: [ImgproxyFormat: Int] = [:]
    /// True if the client asks for less data.
    var savesData = false
    /// 0 means no limit.
    var maxBytes = 0
    var format: ImgproxyFormat?
    var skipProcessing: Set<ImgproxyFormat> = []
    var raw = false
    var cacheBuster = ""
    /// Seconds since 1970.
    var expires: Int?
    var filename: String?
    var returnAttachment = false

    /// Returns the quality for `format`: `quality`, else `format_quality`, else the configured quality, or three
    /// quarters of it for clients that ask for less data.
    func quality(for format: ImgproxyFormat, settings: ImgproxySettings) -> Int {
        if quality > 0 { return quality }
        if let own = formatQuality[format], own > 0 { return own }
        let configured = settings.formatQuality[format] ?? settings.quality
        return savesData ? max(1, configured * 3 / 4) : configured
    }

    /// Returns whether a source of this format is sent without processing.
    func skipsProcessing(source: ImgproxyFormat) -> Bool {
        skipProcessing.contains(source) && (format == nil || format == source)
    }

    /// Returns the key that equal results share: fixed order, short names, no defaults.
    ///
    /// Leaves out options without effect on the result: `exp`, `fn`, `att`. `cb` requests a new result. `format` is the
    /// format of the result, whose quality `settings` resolves.
    func canonicalText(format: ImgproxyFormat, settings: ImgproxySettings) -> String {
        var parts = ["f:\(format.rawValue)", "q:\(quality(for: format, settings: settings))"]
        func add(_ name: String, _ value: String, unless isDefault: Bool) {
            if !isDefault { parts.append("\(name):\(value)") }
        }
        let hasBoth = width > 0 && height > 0
        // One side alone gives the same size for every type but force.
        let type = hasBoth || (resizingType == .force && (width > 0 || height > 0)) ? resizingType : .fit
        add("rt", type.rawValue, unless: type == .fit)
        add("w", "\(width)", unless: width == 0)
        add("h", "\(height)", unless: height == 0)
        add("mw", "\(minWidth)", unless: minWidth == 0)
        add("mh", "\(minHeight)", unless: minHeight == 0)
        add("z", "\(zoomX):\(zoomY)", unless: zoomX == 1 && zoomY == 1)
        add("dpr", "\(dpr)", unless: dpr == 1)
        add("el", "1", unless: !enlarge)
        add("ex", Self.text(extend.gravity), unless: !extend.isEnabled)
        add("exar", Self.text(extendAspectRatio.gravity), unless: !extendAspectRatio.isEnabled || !hasBoth)
        let cropGravity = crop.map { $0.gravity ?? gravity }
        if let crop, let cropGravity {
            add(
                "c", "\(crop.width):\(crop.height):\(Self.text(cropGravity))",
                unless: crop.width == 0 && crop.height == 0)
        }
        add("g", Self.text(gravity), unless: gravity == ImgproxyGravity() || (width == 0 && height == 0))
        if let trim {
            let color = trim.color.map(Self.text) ?? ""
            add("t", "\(trim.tolerance):\(color):\(trim.equalHorizontal):\(trim.equalVertical)", unless: false)
        }
        add("pd", "\(padding.top):\(padding.right):\(padding.bottom):\(padding.left)", unless: padding == Padding())
        add("ar", "0", unless: autoRotate)
        add("rot", "\(rotation)", unless: rotation == 0)
        add("fl", "\(flipHorizontal):\(flipVertical)", unless: !flipHorizontal && !flipVertical)
        if let background { parts.append("bg:\(Self.text(background))") }
        add("bl", "\(blur)", unless: blur <= 0)
        add("sh", "\(sharpen)", unless: sharpen <= 0)
        add("pix", "\(pixelate)", unless: pixelate <= 1)
        add("colors", colors.steps.map(\.identifier).joined(separator: "+"), unless: colors.steps.isEmpty)
        add("rc", "\(cornerRadius)", unless: cornerRadius == 0)
        add("pg", "\(page)", unless: page == 0)
        let (mark, position) = (watermark, watermark.position?.rawValue ?? "re")
        add("wm", "\(mark.opacity):\(position):\(mark.x):\(mark.y):\(mark.scale)", unless: mark.opacity <= 0)
        add("sm", "0", unless: stripMetadata)
        add("kcr", "0", unless: keepCopyright || !stripMetadata)
        add("scp", "0", unless: stripColorProfile)
        add("ph", "1", unless: !preserveHDR)
        add("eth", "1", unless: !enforceThumbnail)
        add("mb", "\(maxBytes)", unless: maxBytes == 0)
        add("skp", skipProcessing.sorted().map(\.rawValue).joined(separator: ":"), unless: skipProcessing.isEmpty)
        add("raw", "1", unless: !raw)
        // Order: free text comes last, so that no other option can look like its end.
        add("cb", cacheBuster, unless: cacheBuster.isEmpty)
        return parts.joined(separator: "/")
    }

    private static func text(_ gravity: ImgproxyGravity) -> String {
        "\(gravity.position.rawValue):\(gravity.x):\(gravity.y)"
    }

    private static func text(_ color: SRGBColor) -> String { [color.red, color.green, color.blue].hexadecimal }
}
