extension ImgproxyOptions {
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
