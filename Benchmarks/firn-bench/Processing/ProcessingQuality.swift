import Firn
import FirnFigures
import FoundationEssentials
import Glibc

/// Structural similarity of a resize and of blurs with the same in double precision, on part of a photograph.
///
/// Rounding to bytes alone costs similarity in what is flat and dark, and in blurs most is flat: what is asked is that ours is
/// at most 0.001 below what perfect bytes would have.
///
/// Source: Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", IEEE Transactions on Image Processing 13, 2004;
/// windows of 8 × 8.
struct ProcessingQuality {
    private static let photograph = "/usr/share/backgrounds/Wine_by_Jakkub_Mede.jpg"

    /// A plane of lightness or colour.
    private struct Plane {
        var width: Int
        var height: Int
        var values: [Double]
    }

    func run() throws -> [Figure] {
        guard let data = try? Data(contentsOf: URL(filePath: Self.photograph)) else {
            print("processors: no photograph \(Self.photograph)")
            return []
        }
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        options.targetSize = TargetSize(PixelSize(width: 900, height: 900))
        let whole = try decoder.frame(at: 0, options: options).image()
        let source = try ImageProcessors.Crop(size: PixelSize(width: 480, height: 360))
            .process(ImageContainer(image: whole)).image
        var figures: [Figure] = []
        let target = PixelSize(width: 139, height: 104)
        let resized = try ImageProcessors.Resize(exactly: target).process(ImageContainer(image: source)).image
        figures.append(
            figure("resize", resized, green(source)) { plane in
                lanczos(lanczos(plane, target.width), target.height)
            })
        for radius in [2.0, 4, 8, 20] {
            let blurred = try ImageProcessors.GaussianBlur(radius: radius).process(ImageContainer(image: source)).image
            figures.append(
                figure("blur-\(Int(radius))", blurred, green(source)) { gaussian(gaussian($0, radius), radius) })
        }
        return figures
    }

    private func figure(_ name: String, _ result: Bitmap, _ source: Plane, _ exact: (Plane) -> Plane) -> Figure {
        let exact = exact(source)
        var rounded = exact
        for index in rounded.values.indices {
            rounded.values[index] = min(max(rounded.values[index].rounded(), 0), 255)
        }
        let similarity = self.similarity(green(result), exact)
        let best = self.similarity(rounded, exact)
        return Figure(
            name: "processors.quality.\(name)", value: max(0, ((best - similarity) * 1e6).rounded() / 1e6),
            unit: "of SSIM",
            note: "lost to double precision: \(similarity), of \(best) that bytes allow")
    }

    private func green(_ picture: Bitmap) -> Plane {
        picture.withUnsafeBytes { bytes in
            Plane(
                width: picture.size.width, height: picture.size.height,
                values: (0..<picture.size.height).flatMap { y in
                    (0..<picture.size.width).map { Double(bytes[y * picture.bytesPerRow + 3 * $0 + 1]) }
                })
        }
    }

    /// Mixes along rows and turns the plane, so that the second call mixes along columns.
    private func mixed(_ plane: Plane, _ length: Int, _ weights: (Int) -> [(Int, Double)]) -> Plane {
        var result = Plane(width: plane.height, height: length, values: [])
        result.values.reserveCapacity(plane.height * length)
        for x in 0..<length {
            let weights = weights(x)
            for y in 0..<plane.height {
                result.values.append(weights.reduce(0) { $0 + plane.values[y * plane.width + $1.0] * $1.1 })
            }
        }
        return result
    }

    private func lanczos(_ plane: Plane, _ length: Int) -> Plane {
        let scale = Double(plane.width) / Double(length)
        return mixed(plane, length) { x in
            let centre = (Double(x) + 0.5) * scale
            let all = (0..<plane.width).map { index -> (Int, Double) in
                let distance = abs((Double(index) + 0.5 - centre) / scale) * Double.pi
                if distance < 1e-9 { return (index, 1) }
                return (
                    index, distance < 3 * Double.pi ? 3 * sin(distance) * sin(distance / 3) / (distance * distance) : 0
                )
            }.filter { $0.1 != 0 }
            let sum = all.reduce(0) { $0 + $1.1 }
            return all.map { ($0.0, $0.1 / sum) }
        }
    }

    private func gaussian(_ plane: Plane, _ radius: Double) -> Plane {
        let reach = Int(6 * radius)
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = kernel.reduce(0, +)
        return mixed(plane, plane.width) { x in
            kernel.enumerated().map { (min(max(x + $0.offset - reach, 0), plane.width - 1), $0.element / sum) }
        }
    }

    private func similarity(_ a: Plane, _ b: Plane) -> Double {
        var (total, windows) = (0.0, 0.0)
        for top in stride(from: 0, through: a.height - 8, by: 4) {
            for left in stride(from: 0, through: a.width - 8, by: 4) {
                var (p, q, pp, qq, pq) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let (v, w) = (a.values[y * a.width + x], min(max(b.values[y * b.width + x], 0), 255))
                        (p, q, pp, qq, pq) = (p + v, q + w, pp + v * v, qq + w * w, pq + v * w)
                    }
                }
                let (m, n) = (p / 64, q / 64)
                total +=
                    (2 * m * n + 6.5025) * (2 * (pq / 64 - m * n) + 58.5225)
                    / ((m * m + n * n + 6.5025) * (pp / 64 - m * m + qq / 64 - n * n + 58.5225))
                windows += 1
            }
        }
        return total / windows
    }
}
