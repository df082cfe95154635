extension ImgproxyOptionReader {
    /// Applies options of parts, turns and padding, and those that follow.
    mutating func applyPlacement(_ name: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        switch name {
        case "gravity", "g": try arguments.read(&options.gravity, allowsSmart: true)
        case "crop", "c": try readCrop(arguments)
        case "trim", "t": try readTrim(arguments)
        case "padding", "pd": try readPadding(arguments)
        case "auto_rotate", "ar": options.autoRotate = ImgproxyText.isTrue(try arguments.one())
        case "rotate", "rot": try readRotation(try arguments.one(), arguments)
        case "flip", "fl":
            try arguments.atMost(2)
            if arguments[0] != nil { options.flipHorizontal = arguments.bool(0) }
            if arguments[1] != nil { options.flipVertical = arguments.bool(1) }
        default: try applyEffect(name, arguments)
        }
    }

    private mutating func readCrop(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(5)
        let limit = 1e9
        var crop = options.crop ?? ImgproxyOptions.Crop()
        crop.width = try arguments.number(arguments.values.first ?? "", 0...limit)
        if arguments.values.count > 1 { crop.height = try arguments.number(arguments.values[1], 0...limit) }
        if arguments.values.count > 2 {
            var gravity = crop.gravity ?? ImgproxyGravity()
            try arguments.dropFirst(2).read(&gravity, allowsSmart: true)
            crop.gravity = gravity
        }
        options.crop = crop
    }

    private mutating func readTrim(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(4)
        guard let tolerance = arguments[0] else {
            options.trim = nil
            return
        }
        var trim = options.trim ?? ImgproxyOptions.Trim()
        trim.tolerance = try arguments.number(tolerance, 0...1_000_000)
        if let color = arguments[1] { trim.color = try arguments.color(color) }
        if arguments[2] != nil { trim.equalHorizontal = arguments.bool(2) }
        if arguments[3] != nil { trim.equalVertical = arguments.bool(3) }
        options.trim = trim
    }

    /// Reads sides in the order of CSS: a missing side takes the opposite one, all take the first.
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

    private mutating func readRotation(_ text: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        guard let degrees = Int(text), degrees % 90 == 0 else { throw .argument(arguments.option, text) }
        options.rotation = (degrees % 360 + 360) % 360
    }
}
