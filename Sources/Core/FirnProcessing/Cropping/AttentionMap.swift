/// A saliency map: scores the parts of an image to choose the part that a crop keeps.
///
/// The score of each cell of a small copy grows with its contrast to its neighbors, its saturation and its similarity
/// to skin. Cells near the middle count slightly more, because most photographs are composed that way.
struct AttentionMap {
    private let size: PixelSize
    private let scores: [Double]
    /// The length of the small copy's longer side, in pixels.
    private static let side = 96

    init(_ image: Bitmap, _ run: ProcessingRun) throws {
        let small = TargetSize(AttentionMap.side).resolved(for: image.size)
        let copy = try image.resized(to: small, PixelArea(small), filter: .box, run).converted(to: .rgba8Straight)
        size = small
        let pixels = try copy.withRows { rows in
            (0..<small.height).flatMap { y in
                (0..<small.width).map { x in
                    let pixel = rows.row(y).loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                    return SIMD4<Double>(pixel) / 255
                }
            }
        }
        scores = AttentionMap.scores(pixels, small)
    }

    private static func scores(_ pixels: [SIMD4<Double>], _ size: PixelSize) -> [Double] {
        func light(_ x: Int, _ y: Int) -> Double {
            let pixel = pixels[min(max(y, 0), size.height - 1) * size.width + min(max(x, 0), size.width - 1)]
            return (0.3 * pixel.x + 0.59 * pixel.y + 0.11 * pixel.z) * pixel.w
        }
        var scores: [Double] = []
        scores.reserveCapacity(pixels.count)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = pixels[y * size.width + x]
                let edge = abs(4 * light(x, y) - light(x - 1, y) - light(x + 1, y) - light(x, y - 1) - light(x, y + 1))
                let most = max(pixel.x, pixel.y, pixel.z)
                let color = most > 0.1 ? (most - min(pixel.x, pixel.y, pixel.z)) * most : 0
                let across = (Double(x) + 0.5) / Double(size.width) - 0.5
                let down = (Double(y) + 0.5) / Double(size.height) - 0.5
                let middle = 1.2 - 0.8 * (across * across + down * down)
                scores.append((edge * 2 + color * 0.4 + skin(pixel) * 0.8) * pixel.w * middle)
            }
        }
        return scores
    }

    /// Returns the similarity of a color to the hue of skin of any lightness, from 0 to 1.
    private static func skin(_ pixel: SIMD4<Double>) -> Double {
        let sum = pixel.x + pixel.y + pixel.z
        guard sum > 0.45, sum < 2.75 else { return 0 }
        let (red, green) = (pixel.x / sum - 0.44, pixel.y / sum - 0.31)
        return max(0, 1 - (red * red + green * green) / 0.004)
    }

    /// Returns the start of the highest-scoring part of `part` pixels in an image of `whole` pixels.
    func start(of part: PixelSize, in whole: PixelSize) -> (column: Int, row: Int) {
        (
            column: start(part.width, whole.width, size.width) { x in
                (0..<size.height).reduce(0) { $0 + scores[$1 * size.width + x] }
            },
            row: start(part.height, whole.height, size.height) { y in
                (0..<size.width).reduce(0) { $0 + scores[y * size.width + $1] }
            }
        )
    }

    private func start(_ part: Int, _ whole: Int, _ cells: Int, _ score: (Int) -> Double) -> Int {
        guard part < whole else { return 0 }
        // Prefix sums, so that a part that starts or ends within a cell gets its share of that cell.
        var sums = [0.0]
        for cell in 0..<cells { sums.append(sums[cell] + score(cell)) }
        func sum(_ pixel: Int) -> Double {
            let place = Double(pixel) * Double(cells) / Double(whole)
            let cell = min(Int(place), cells - 1)
            return sums[cell] + (sums[cell + 1] - sums[cell]) * (place - Double(cell))
        }
        let steps = min(whole - part, 4 * cells)
        var best = (score: -1.0, start: 0)
        for step in 0...steps {
            let start = (whole - part) * step / steps
            let score = sum(start + part) - sum(start)
            // Among equal scores, the part nearer to the middle wins.
            let isNearer = abs(2 * start - (whole - part)) < abs(2 * best.start - (whole - part))
            if score > best.score + 1e-9 || (score > best.score - 1e-9 && isNearer) { best = (score, start) }
        }
        return best.start
    }
}
