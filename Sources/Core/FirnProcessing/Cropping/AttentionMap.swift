/// A saliency map: scores the parts of an image to choose the part that a crop keeps.
///
/// The score of each cell of a small copy is the gradient of its color to the power of 1.5, so that strong edges count
/// more than much faint texture. Edges of the color of skin count up to five times as much. Cells in the middle count
/// three times as much as those in the corners, because most photographs are composed that way.
///
/// The constants are those that keep most of the subjects of photographs (`Scripts/compare-crops`, Processors.md).
struct AttentionMap {
    private let size: PixelSize
    private let scores: [Float]
    /// The length of the small copy's longer side, in pixels.
    private static let side = 96

    init(_ image: Bitmap, _ run: ProcessingRun) throws {
        let small = TargetSize(AttentionMap.side).resolved(for: image.size)
        let copy = try image.resized(to: small, PixelArea(small), filter: .box, run).converted(to: .bgra8Premultiplied)
        size = small
        scores = try copy.withRows { rows in
            var scores: [Float] = []
            scores.reserveCapacity(small.area)
            for y in 0..<small.height {
                let (above, below) = (rows.row(max(y - 1, 0)), rows.row(min(y + 1, small.height - 1)))
                let row = rows.row(y)
                let down = (Float(y) + 0.5) / Float(small.height) - 0.5
                for x in 0..<small.width {
                    func pixel(_ row: UnsafeRawPointer, _ x: Int) -> SIMD4<Float> {
                        SIMD4(row.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self))
                    }
                    let horizontal = pixel(row, min(x + 1, small.width - 1)) - pixel(row, max(x - 1, 0))
                    let vertical = pixel(below, x) - pixel(above, x)
                    let skin = 1 + 2 * AttentionMap.skin(pixel(row, x))
                    let edge = (horizontal * horizontal + vertical * vertical).sum() * skin * skin
                    let across = (Float(x) + 0.5) / Float(small.width) - 0.5
                    let middle = 1.5 - 2 * (across * across + down * down)
                    scores.append((edge * edge.squareRoot()).squareRoot() * middle)
                }
            }
            return scores
        }
    }

    /// Returns the similarity of a premultiplied BGRA color to the hue of skin of any lightness, from 0 to 1.
    private static func skin(_ pixel: SIMD4<Float>) -> Float {
        let sum = pixel.x + pixel.y + pixel.z
        guard sum > 50, sum < 702 else { return 0 }
        let (red, green) = (pixel.z / sum - 0.44, pixel.y / sum - 0.31)
        return max(0, 1 - (red * red + green * green) / 0.01)
    }

    /// Returns the start of the highest-scoring part of `part` pixels in an image of `whole` pixels.
    ///
    /// The columns are those with the highest sum over all rows. Only these columns then determine the rows.
    func start(of part: PixelSize, in whole: PixelSize) -> (column: Int, row: Int) {
        let column = start(part.width, whole.width, size.width) { x in
            (0..<size.height).reduce(0) { $0 + scores[$1 * size.width + x] }
        }
        let left = min(column * size.width / whole.width, size.width - 1)
        let right = min(max((column + part.width) * size.width / whole.width, left + 1), size.width)
        let row = start(part.height, whole.height, size.height) { y in
            (left..<right).reduce(0) { $0 + scores[y * size.width + $1] }
        }
        return (column, row)
    }

    private func start(_ part: Int, _ whole: Int, _ cells: Int, _ score: (Int) -> Float) -> Int {
        guard part < whole else { return 0 }
        // Prefix sums, so that a part that starts or ends within a cell gets its share of that cell.
        var sums = [0.0]
        for cell in 0..<cells { sums.append(sums[cell] + Double(score(cell))) }
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
