extension ImgproxyOptionReader {
    /// Applies options of sizes, and those that follow.
    mutating func applySize(_ name: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        switch name {
        case "resize", "rs":
            try arguments.atMost(8)
            if let type = arguments[0] { try readResizingType(type, arguments) }
            try readSize(arguments.dropFirst(1))
        case "size", "s": try readSize(arguments)
        case "resizing_type", "rt": try readResizingType(try arguments.one(), arguments)
        case "width", "w": options.width = try arguments.dimension(try arguments.one())
        case "height", "h": options.height = try arguments.dimension(try arguments.one())
        case "min-width", "mw": options.minWidth = try arguments.dimension(try arguments.one())
        case "min-height", "mh": options.minHeight = try arguments.dimension(try arguments.one())
        case "zoom", "z": try readZoom(arguments)
        case "dpr": options.dpr = try arguments.factor(try arguments.one(), settings.limits.dpr)
        case "enlarge", "el": options.enlarge = ImgproxyText.isTrue(try arguments.one())
        case "extend", "ex": try arguments.read(&options.extend)
        case "extend_aspect_ratio", "extend_ar", "exar": try arguments.read(&options.extendAspectRatio)
        default: try applyPlacement(name, arguments)
        }
    }

    private mutating func readResizingType(_ text: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        guard let type = ImgproxyOptions.ResizingType(rawValue: text) else { throw .argument(arguments.option, text) }
        options.resizingType = type
    }

    private mutating func readSize(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(7)
        if let width = arguments[0] { options.width = try arguments.dimension(width) }
        if let height = arguments[1] { options.height = try arguments.dimension(height) }
        if arguments[2] != nil { options.enlarge = arguments.bool(2) }
        if arguments.values.count > 3 { try arguments.dropFirst(3).read(&options.extend) }
    }

    private mutating func readZoom(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(2)
        let x = try arguments.factor(arguments.values.first ?? "", settings.limits.zoom)
        options.zoomX = x
        options.zoomY = x
        if arguments.values.count > 1 {
            options.zoomY = try arguments.factor(arguments.values[1], settings.limits.zoom)
        }
    }
}
