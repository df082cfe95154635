/// A reference animation: composites each image from the first frame on, in floating point.
struct ReferenceAnimation {
    struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// Four bytes a pixel, straight.
        var pixels: [UInt8]
        /// 1 keep, 2 background, 3 previous.
        var disposal: Int
        var blends: Bool
    }

    var width: Int
    var height: Int
    var frames: [Frame]

    /// Returns the image shown while frame `index` is: four numbers from 0 to 1 a pixel, colors multiplied by alpha.
    func image(_ index: Int) -> [Double] {
        var canvas = [Double](repeating: 0, count: width * height * 4)
        for (number, frame) in frames.enumerated().prefix(index + 1) {
            let before = canvas
            draw(frame, on: &canvas)
            if number == index { break }
            switch frame.disposal {
            case 2: visit(frame) { at, _ in for i in 0..<4 { canvas[at + i] = 0 } }
            case 3: canvas = before
            default: break
            }
        }
        return canvas
    }

    /// Returns the bytes of the image, premultiplied or straight.
    func bytes(_ index: Int, isStraight: Bool) -> [UInt8] {
        let image = image(index)
        return stride(from: 0, to: image.count, by: 4).flatMap { at -> [UInt8] in
            let alpha = image[at + 3]
            let scale = isStraight ? (alpha > 0 ? 1 / alpha : 0) : 1
            return (0..<3).map { UInt8((image[at + $0] * scale * 255).rounded()) } + [UInt8((alpha * 255).rounded())]
        }
    }

    private func draw(_ frame: Frame, on canvas: inout [Double]) {
        visit(frame) { at, source in
            let alpha = Double(frame.pixels[source + 3]) / 255
            let rest = frame.blends ? 1 - alpha : 0
            for i in 0..<4 {
                let value = i == 3 ? alpha : Double(frame.pixels[source + i]) / 255 * alpha
                canvas[at + i] = value + canvas[at + i] * rest
            }
        }
    }

    /// Visits every pixel of a frame that is on the canvas.
    private func visit(_ frame: Frame, _ body: (_ at: Int, _ source: Int) -> Void) {
        for y in 0..<frame.height where frame.top + y < height {
            for x in 0..<frame.width where frame.left + x < width {
                body(((frame.top + y) * width + frame.left + x) * 4, (y * frame.width + x) * 4)
            }
        }
    }
}
