import FirnImage

extension ImgproxyOptionReader {
    /// Applies options of colors, filters and the watermark, and those that follow.
    mutating func applyEffect(_ name: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        let sigma = 0...max(0, settings.limits.sigma)
        switch name {
        case "background", "bg": try readBackground(arguments)
        case "blur", "bl": options.blur = try arguments.number(try arguments.one(), sigma)
        case "sharpen", "sh": options.sharpen = try arguments.number(try arguments.one(), sigma)
        case "pixelate", "pix":
            options.pixelate = max(1, try arguments.dimension(try arguments.one()))
        case "watermark", "wm": try readWatermark(arguments)
        case "strip_metadata", "sm": options.stripMetadata = ImgproxyText.isTrue(try arguments.one())
        case "keep_copyright", "kcr": options.keepCopyright = ImgproxyText.isTrue(try arguments.one())
        case "strip_color_profile", "scp": options.stripColorProfile = ImgproxyText.isTrue(try arguments.one())
        case "preserve_hdr", "ph": options.preserveHDR = ImgproxyText.isTrue(try arguments.one())
        case "enforce_thumbnail", "eth": options.enforceThumbnail = ImgproxyText.isTrue(try arguments.one())
        default: try applyOutput(name, arguments)
        }
    }

    private mutating func readBackground(_ arguments: ImgproxyArguments) throws(ServeError) {
        switch arguments.values.count {
        case 0, 1: options.background = try arguments[0].map { text throws(ServeError) in try arguments.color(text) }
        case 3:
            var channels: [UInt8] = []
            for text in arguments.values { channels.append(UInt8(clamping: try arguments.integer(text, 0...255))) }
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
}
