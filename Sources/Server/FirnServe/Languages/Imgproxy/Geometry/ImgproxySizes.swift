import FirnImage

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
