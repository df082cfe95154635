extension ImageExtent {
    /// The exact sides, which are whole numbers for a bitmap.
    var sides: VectorSize {
        vector ?? VectorSize(width: Double(pixels.width), height: Double(pixels.height))
    }
}

/// The factors of width, height and `dpr` of a request.
struct ImgproxyScale {
    var x: Double
    var y: Double
    var dpr: Double

    /// Computes the factors for a source of `size` after its crop and turns.
    init(_ size: VectorSize, _ options: ImgproxyOptions, mayEnlarge: Bool) {
        let (width, height) = (size.width, size.height)
        let targetWidth = options.width == 0 ? width : Double(options.width)
        let targetHeight = options.height == 0 ? height : Double(options.height)
        var across = width / targetWidth
        var down = height / targetHeight
        // `auto` fills if source and target have the same orientation, and fits otherwise.
        let isAlike = (width >= height) == (targetWidth >= targetHeight)
        let type = options.resizingType == .auto ? (isAlike ? .fill : .fit) : options.resizingType
        if type != .force {
            let both = type == .fit ? max(across, down) : min(across, down)
            (across, down) = options.width == 0 ? (down, down) : options.height == 0 ? (across, across) : (both, both)
        }
        across /= ImgproxyRounding.clamp(options.zoomX, 0.001...1000)
        down /= ImgproxyRounding.clamp(options.zoomY, 0.001...1000)
        var dpr = ImgproxyRounding.clamp(options.dpr, 0.001...1000)
        if !mayEnlarge {
            let least = min(across, down)
            if least < 1 {
                across /= least
                down /= least
                if !options.extend.isEnabled { dpr /= least }
            }
            dpr = min(dpr, across, down)
        }
        if options.minWidth > 0, width / Double(options.minWidth) < across {
            down *= width / Double(options.minWidth) / across
            across = width / Double(options.minWidth)
        }
        if options.minHeight > 0, height / Double(options.minHeight) < down {
            across *= height / Double(options.minHeight) / down
            down = height / Double(options.minHeight)
        }
        x = 1 / min(across / dpr, width)
        y = 1 / min(down / dpr, height)
        self.dpr = dpr
    }

    /// Returns the scale made smaller by `factor`; the image stays at least 1 pixel wide and high.
    func reduced(by factor: Double, of size: VectorSize) -> ImgproxyScale {
        var scale = self
        scale.x = max(x * factor, 1 / size.width)
        scale.y = max(y * factor, 1 / size.height)
        scale.dpr = dpr * factor
        return scale
    }
}

/// The sizes that follow from scale factors, after turns. A side of 0 is absent.
struct ImgproxySizes {
    var target: PixelSize
    var scaled: PixelSize
    var crop: PixelSize
    var aspect: PixelSize?
    var padding: ImgproxyOptions.Padding

    init(_ size: VectorSize, _ scale: ImgproxyScale, _ options: ImgproxyOptions) {
        typealias R = ImgproxyRounding
        target = PixelSize(
            width: R.side(options.width, scale.dpr * R.clamp(options.zoomX, 0.001...1000)),
            height: R.side(options.height, scale.dpr * R.clamp(options.zoomY, 0.001...1000)))
        scaled = PixelSize(width: R.side(size.width, scale.x), height: R.side(size.height, scale.y))
        crop = target
        let ratio = target.height > 0 ? Double(target.width) / Double(target.height) : 0
        if options.resizingType == .fillDown, !options.enlarge, ratio > 0 {
            let across = Double(target.width) / Double(scaled.width)
            let down = Double(target.height) / Double(scaled.height)
            if across > down, across > 1 {
                crop = PixelSize(width: scaled.width, height: R.side(scaled.width, 1 / ratio))
            } else if down > across, down > 1 {
                crop = PixelSize(width: R.side(scaled.height, ratio), height: scaled.height)
            }
        }
        if options.extendAspectRatio.isEnabled, ratio > 0 {
            let width = R.smallest(scaled.width, crop.width)
            let height = R.smallest(scaled.height, crop.height)
            let across = Double(target.width) / Double(width)
            let down = Double(target.height) / Double(height)
            if down > across { aspect = PixelSize(width: width, height: R.side(width, 1 / ratio)) }
            if across > down { aspect = PixelSize(width: R.side(height, ratio), height: height) }
        }
        let pixels = { (side: Int) in max(0, R.even(Double(side) * scale.dpr)) }
        let own = options.padding
        padding = ImgproxyOptions.Padding(
            top: pixels(own.top), right: pixels(own.right), bottom: pixels(own.bottom), left: pixels(own.left))
    }
}
