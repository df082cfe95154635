import FirnImage

extension ImageExtent {
    /// The exact sides, which are whole for an image of pixels.
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
        let type = Self.type(options.resizingType, width - height, targetWidth - targetHeight)
        if type != .force {
            let both =
                if options.width == 0 { down } else if options.height == 0 { across } else if type == .fit {
                    max(across, down)
                } else { min(across, down) }
            across = both
            down = both
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

    /// Resolves `auto`: fill if source and target lie the same way, else fit.
    private static func type(
        _ type: ImgproxyOptions.ResizingType, _ source: Double, _ target: Double
    ) -> ImgproxyOptions.ResizingType {
        type == .auto ? ((source >= 0) == (target >= 0) ? .fill : .fit) : type
    }
}
