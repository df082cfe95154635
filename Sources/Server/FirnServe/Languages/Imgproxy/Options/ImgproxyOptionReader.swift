/// Reads options and presets into the options of a request.
struct ImgproxyOptionReader {
    let settings: ImgproxySettings
    var options = ImgproxyOptions()
    private var usedPresets: Set<String> = []
    private var count = 0

    init(settings: ImgproxySettings) {
        self.settings = settings
        options.stripMetadata = settings.stripMetadata
        options.keepCopyright = settings.keepCopyright
    }

    /// Applies presets by name. Skips presets that were already applied, which ends recursion.
    /// - Throws: 404 for unknown names.
    mutating func applyPresets(_ names: [String]) throws(ServeError) {
        for name in names {
            guard let text = settings.presets[name] else { throw .argument("preset", name) }
            guard usedPresets.insert(name).inserted else { continue }
            for segment in Array(text.utf8).split(separator: UInt8(ascii: "/")) {
                try apply(ImgproxyArguments(segment, settings))
            }
        }
    }

    /// Applies one option of an address.
    ///
    /// - Throws: 404 for too many options and for options that are not allowed; otherwise like ``apply(_:)``.
    mutating func applyListed(_ arguments: ImgproxyArguments) throws(ServeError) {
        count += 1
        guard count <= settings.limits.options else { throw .notFound("options: more than \(settings.limits.options)") }
        if let allowed = settings.allowedOptions, !allowed.contains(arguments.option) {
            throw .notFound("\(ServeError.printable(arguments.option.utf8)): option is not allowed")
        }
        try apply(arguments)
    }

    /// Applies one option.
    ///
    /// - Throws: 404 for unknown names, too many arguments and invalid values, 403 for options that change limits.
    private mutating func apply(_ arguments: ImgproxyArguments) throws(ServeError) {
        let limits = settings.limits
        switch arguments.option {
        case "preset", "pr": try applyPresets(arguments.values)
        // Sizes.
        case "resize", "rs":
            try arguments.atMost(8)
            if let type = arguments[0] { options.resizingType = try arguments.named(type) }
            try readSize(arguments.dropFirst(1))
        case "size", "s": try readSize(arguments)
        case "resizing_type", "rt": options.resizingType = try arguments.named(arguments.one())
        case "width", "w": options.width = try arguments.dimension()
        case "height", "h": options.height = try arguments.dimension()
        case "min-width", "mw": options.minWidth = try arguments.dimension()
        case "min-height", "mh": options.minHeight = try arguments.dimension()
        case "zoom", "z":
            try arguments.atMost(2)
            options.zoomX = try arguments.factor(arguments.values.first ?? "", limits.zoom)
            options.zoomY = try arguments.factor(arguments.values.last ?? "", limits.zoom)
        case "dpr": options.dpr = try arguments.factor(arguments.one(), limits.dpr)
        case "enlarge", "el": options.enlarge = try arguments.flag()
        case "extend", "ex": try arguments.read(&options.extend)
        case "extend_aspect_ratio", "extend_ar", "exar": try arguments.read(&options.extendAspectRatio)
        // Parts, turns and padding.
        case "gravity", "g": try arguments.read(&options.gravity, allowsSmart: true)
        case "crop", "c": try readCrop(arguments)
        case "trim", "t": try readTrim(arguments)
        case "padding", "pd": try readPadding(arguments)
        case "auto_rotate", "ar": options.autoRotate = try arguments.flag()
        case "rotate", "rot":
            let text = try arguments.one()
            guard let degrees = Int(text), degrees % 90 == 0 else { throw .argument(arguments.option, text) }
            options.rotation = (degrees % 360 + 360) % 360
        case "flip", "fl":
            try arguments.atMost(2)
            if arguments[0] != nil { options.flipHorizontal = arguments.bool(0) }
            if arguments[1] != nil { options.flipVertical = arguments.bool(1) }
        // Colors, filters and the watermark.
        case "background", "bg": try readBackground(arguments)
        case "blur", "bl": options.blur = try arguments.number(arguments.one(), 0...max(0, limits.sigma))
        case "sharpen", "sh": options.sharpen = try arguments.number(arguments.one(), 0...max(0, limits.sigma))
        case "pixelate", "pix": options.pixelate = max(1, try arguments.dimension())
        case "watermark", "wm": try readWatermark(arguments)
        case "watermark_url", "wmu", "watermark_text", "wmt": try readWatermarkImage(arguments)
        case "brightness", "br": options.colors.brightness = try arguments.number(arguments.one(), -255...255)
        case "contrast", "co": options.colors.contrast = try arguments.number(arguments.one(), 0...100)
        case "saturation", "sa": options.colors.saturation = try arguments.number(arguments.one(), 0...100)
        case "grayscale", "gs": options.colors.grayscale = try arguments.number(arguments.one(), 0...1)
        case "adjust", "a", "monochrome", "mc", "duotone", "dt": try readColors(arguments)
        case "round_corners", "rc": options.cornerRadius = try arguments.dimension()
        case "page", "pg": options.page = try arguments.dimension()
        case "strip_metadata", "sm": options.stripMetadata = try arguments.flag()
        case "keep_copyright", "kcr": options.keepCopyright = try arguments.flag()
        case "strip_color_profile", "scp": options.stripColorProfile = try arguments.flag()
        case "preserve_hdr", "ph": options.preserveHDR = try arguments.flag()
        case "enforce_thumbnail", "eth": options.enforceThumbnail = try arguments.flag()
        // Formats and responses.
        case "quality", "q": options.quality = try arguments.integer(arguments.one(), 0...100)
        case "format_quality", "fq": try readFormatQuality(arguments)
        case "max_bytes", "mb": options.maxBytes = try arguments.integer(arguments.one(), 0...Int.max)
        case "format", "f", "ext": options.format = try arguments.format(arguments.one())
        case "skip_processing", "skp":
            for text in arguments.values { options.skipProcessing.insert(try arguments.format(text)) }
        case "raw":
            options.raw = try arguments.flag()
            guard !options.raw || settings.allowRaw else { throw .notFound("raw: '1' is not allowed") }
        case "cachebuster", "cb": options.cacheBuster = try arguments.one()
        case "expires", "exp": options.expires = try arguments.integer(arguments.one(), 0...Int.max)
        case "filename", "fn": try readFilename(arguments)
        case "return_attachment", "att": options.returnAttachment = try arguments.flag()
        case "max_src_resolution", "msr", "max_animation_frame_resolution", "mafr", "max_src_file_size", "msfs",
            "max_animation_frames", "maf", "max_result_dimension", "mrd":
            throw ServeError(403, "\(arguments.option): security options are not allowed")
        default: throw .notFound("\(ServeError.printable(arguments.option.utf8)): unknown option")
        }
    }

    // Options with several arguments. A missing or empty argument keeps the current value.

    private mutating func readSize(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(7)
        if let width = arguments[0] { options.width = try arguments.dimension(width) }
        if let height = arguments[1] { options.height = try arguments.dimension(height) }
        if arguments[2] != nil { options.enlarge = arguments.bool(2) }
        if arguments.values.count > 3 { try arguments.dropFirst(3).read(&options.extend) }
    }

    private mutating func readCrop(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(5)
        var crop = options.crop ?? ImgproxyOptions.Crop()
        crop.width = try arguments.number(arguments.values.first ?? "", 0...1e9)
        if arguments.values.count > 1 { crop.height = try arguments.number(arguments.values[1], 0...1e9) }
        if arguments.values.count > 2 {
            var gravity = crop.gravity ?? ImgproxyGravity()
            try arguments.dropFirst(2).read(&gravity, allowsSmart: true)
            crop.gravity = gravity
        }
        options.crop = crop
    }

    private mutating func readTrim(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(4)
        guard let tolerance = arguments[0] else { return options.trim = nil }
        var trim = options.trim ?? ImgproxyOptions.Trimming()
        trim.tolerance = try arguments.number(tolerance, 0...1_000_000)
        if let color = arguments[1] { trim.color = try arguments.color(color) }
        if arguments[2] != nil { trim.equalHorizontal = arguments.bool(2) }
        if arguments[3] != nil { trim.equalVertical = arguments.bool(3) }
        options.trim = trim
    }

    /// Parses sides in the order of CSS: a missing side equals the opposite one; a single value applies to all.
    private mutating func readPadding(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(4)
        let range = 0...max(0, settings.limits.padding)
        if let top = arguments[0] {
            let value = try arguments.integer(top, range)
            options.padding = ImgproxyOptions.Padding(top: value, right: value, bottom: value, left: value)
        }
        if let right = arguments[1] {
            options.padding.right = try arguments.integer(right, range)
            options.padding.left = options.padding.right
        }
        if let bottom = arguments[2] { options.padding.bottom = try arguments.integer(bottom, range) }
        if let left = arguments[3] { options.padding.left = try arguments.integer(left, range) }
    }

    private mutating func readBackground(_ arguments: ImgproxyArguments) throws(ServeError) {
        switch arguments.values.count {
        case 0, 1: options.background = try arguments[0].map { text throws(ServeError) in try arguments.color(text) }
        case 3:
            let channels = try arguments.values.map { text throws(ServeError) in
                UInt8(clamping: try arguments.integer(text, 0...255))
            }
            options.background = SRGBColor(red: channels[0], green: channels[1], blue: channels[2])
        default:
            throw .notFound("\(arguments.option): \(arguments.values.count) arguments, 1 or 3 are allowed")
        }
    }

    private mutating func readWatermark(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(5)
        options.watermark.opacity = try arguments.number(arguments.values.first ?? "", 0...1)
        if let name = arguments[1] {
            let position = ImgproxyGravity.Position(rawValue: name)
            guard name == "re" || position.map({ $0 != .smart && $0 != .focusPoint }) == true else {
                throw .argument(arguments.option, name)
            }
            options.watermark.position = position
        }
        if let x = arguments[2] { options.watermark.x = try arguments.offset(x) }
        if let y = arguments[3] { options.watermark.y = try arguments.offset(y) }
        if let scale = arguments[4] { options.watermark.scale = try arguments.number(scale, 0...8) }
    }

    /// Reads an image or a text, the last of which counts.
    private mutating func readWatermarkImage(_ arguments: ImgproxyArguments) throws(ServeError) {
        let isAddress = ["watermark_url", "wmu"].contains(arguments.option)
        try arguments.atMost(isAddress ? 1 : 4)
        let limit = isAddress ? settings.limits.pathBytes : WatermarkText.longest
        guard let text = try arguments.text(0, longest: limit) else { return options.watermark.image = .configured }
        if isAddress { return options.watermark.image = .address(try settings.address(text, of: arguments.option)) }
        var mark = WatermarkText(text: text)
        if let size = arguments[1] { mark.size = try arguments.number(size, 1...512) }
        if let color = arguments[2] { mark.color = try arguments.color(color) }
        if let font = try arguments.text(3, longest: 64) { mark.font = font }
        options.watermark.image = .text(mark)
    }

    private mutating func readColors(_ arguments: ImgproxyArguments) throws(ServeError) {
        func read(_ place: Int, _ value: inout Double, _ range: ClosedRange<Double>) throws(ServeError) {
            if let text = arguments[place] { value = try arguments.number(text, range) }
        }
        func read(_ place: Int, _ value: inout SRGBColor) throws(ServeError) {
            if let text = arguments[place] { value = try arguments.color(text) }
        }
        try arguments.atMost(["monochrome", "mc"].contains(arguments.option) ? 2 : 3)
        switch arguments.option {
        case "monochrome", "mc":
            try read(0, &options.colors.monochrome, 0...1)
            try read(1, &options.colors.base)
        case "duotone", "dt":
            try read(0, &options.colors.duotone, 0...1)
            try read(1, &options.colors.dark)
            try read(2, &options.colors.light)
        default:
            try read(0, &options.colors.brightness, -255...255)
            try read(1, &options.colors.contrast, 0...100)
            try read(2, &options.colors.saturation, 0...100)
        }
    }

    private mutating func readFormatQuality(_ arguments: ImgproxyArguments) throws(ServeError) {
        guard arguments.values.count % 2 == 0 else { throw .notFound("\(arguments.option): a quality is missing") }
        for index in stride(from: 0, to: arguments.values.count, by: 2) {
            let format = try arguments.format(arguments.values[index])
            options.formatQuality[format] = try arguments.integer(arguments.values[index + 1], 0...100)
        }
    }

    private mutating func readFilename(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(2)
        let text = arguments.values.first ?? ""
        let bytes = Array(text.utf8)
        let decoded =
            arguments.bool(1) ? ImgproxyText.base64URLDecoded(bytes) : PercentEncoding.strictlyDecoded(bytes)
        guard let decoded, let filename = String(validating: decoded, as: UTF8.self) else {
            throw .argument(arguments.option, text)
        }
        options.filename = filename.isEmpty ? nil : filename
    }
}
