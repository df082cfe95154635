/// The sizes that follow from scale factors, after turns. A side of 0 is absent.
struct ImgproxySizes {
    var target: ImgproxySize
    var scaled: ImgproxySize
    var crop: ImgproxySize
    var aspect: ImgproxySize?
    var padding: ImgproxyOptions.Padding

    init(_ size: ImgproxySize, _ scale: ImgproxyScale, _ options: ImgproxyOptions) {
        typealias R = ImgproxyRounding
        target = ImgproxySize(
            R.side(options.width, scale.dpr * R.clamp(options.zoomX, 0.001...1000)),
            R.side(options.height, scale.dpr * R.clamp(options.zoomY, 0.001...1000)))
        scaled = ImgproxySize(max(1, R.side(size.width, scale.x)), max(1, R.side(size.height, scale.y)))
        crop = target
        let ratio = target.height > 0 ? Double(target.width) / Double(target.height) : 0
        if options.resizingType == .fillDown, !options.enlarge, ratio > 0 {
            let across = Double(target.width) / Double(scaled.width)
            let down = Double(target.height) / Double(scaled.height)
            if across > down, across > 1 {
                crop = ImgproxySize(scaled.width, R.side(scaled.width, 1 / ratio))
            } else if down > across, down > 1 {
                crop = ImgproxySize(R.side(scaled.height, ratio), scaled.height)
            }
        }
        if options.extendAspectRatio.isEnabled, ratio > 0 {
            let width = R.smallest(scaled.width, crop.width)
            let height = R.smallest(scaled.height, crop.height)
            let across = Double(target.width) / Double(width)
            let down = Double(target.height) / Double(height)
            if down > across { aspect = ImgproxySize(width, R.side(width, 1 / ratio)) }
            if across > down { aspect = ImgproxySize(R.side(height, ratio), height) }
        }
        let pixels = { (side: Int) in max(0, R.even(Double(side) * scale.dpr)) }
        let own = options.padding
        padding = ImgproxyOptions.Padding(
            top: pixels(own.top), right: pixels(own.right), bottom: pixels(own.bottom), left: pixels(own.left))
    }

    /// Returns the size of the result before the limit of its format.
    func outer(_ options: ImgproxyOptions) -> ImgproxySize {
        var width = ImgproxyRounding.smallest(scaled.width, crop.width)
        var height = ImgproxyRounding.smallest(scaled.height, crop.height)
        if options.extend.isEnabled {
            width = max(width, target.width)
            height = max(height, target.height)
        }
        if let aspect {
            width = max(width, aspect.width)
            height = max(height, aspect.height)
        }
        return ImgproxySize(width + padding.left + padding.right, height + padding.top + padding.bottom)
    }
}
