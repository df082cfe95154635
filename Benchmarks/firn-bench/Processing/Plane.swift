import Firn
import FirnSystem

/// One channel of an image, or its luma, in rows of double-precision numbers.
struct Plane {
    var width: Int
    var height: Int
    var values: [Double]

    /// Returns red, green and blue of an `rgb8` image.
    static func channels(of image: Bitmap) -> [Plane] {
        image.withUnsafeBytes { bytes in
            (0..<3).map { channel in
                Plane(
                    width: image.size.width, height: image.size.height,
                    values: (0..<image.size.height).flatMap { y in
                        (0..<image.size.width).map { Double(bytes[y * image.bytesPerRow + 3 * $0 + channel]) }
                    })
            }
        }
    }

    /// Returns the luma of red, green and blue.
    ///
    /// Source: Recommendation ITU-R BT.601.
    static func lightness(_ channels: [Plane]) -> Plane {
        var result = channels[0]
        for index in result.values.indices {
            result.values[index] =
                0.299 * channels[0].values[index] + 0.587 * channels[1].values[index]
                + 0.114 * channels[2].values[index]
        }
        return result
    }

    /// Rounds to bytes: the best result that 8 bits can hold.
    func rounded() -> Plane {
        Plane(width: width, height: height, values: values.map { min(max($0.rounded(), 0), 255) })
    }

    /// Resizes with Lanczos 3; at the edges, the weights are normalized to 1.
    func lanczos(_ width: Int, _ height: Int) -> Plane { lanczos(width).lanczos(height) }

    /// Blurs with a Gaussian that is cut at six standard deviations; the edge values extend beyond the edges.
    func gaussian(_ radius: Double) -> Plane { gaussianAlong(radius).gaussianAlong(radius) }

    private func lanczos(_ length: Int) -> Plane {
        let scale = Double(width) / Double(length)
        return mixed(length) { x in
            let center = (Double(x) + 0.5) * scale
            let all = (0..<width).map { index -> (Int, Double) in
                let distance = abs((Double(index) + 0.5 - center) / scale) * Double.pi
                if distance < 1e-9 { return (index, 1) }
                return (
                    index, distance < 3 * Double.pi ? 3 * sin(distance) * sin(distance / 3) / (distance * distance) : 0
                )
            }.filter { $0.1 != 0 }
            let sum = all.reduce(0) { $0 + $1.1 }
            return all.map { ($0.0, $0.1 / sum) }
        }
    }

    private func gaussianAlong(_ radius: Double) -> Plane {
        let reach = Int(6 * radius)
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = kernel.reduce(0, +)
        return mixed(width) { x in
            kernel.enumerated().map { (min(max(x + $0.offset - reach, 0), width - 1), $0.element / sum) }
        }
    }

    /// Filters along the rows and transposes the plane, so that a second call filters along the columns.
    func mixed(_ length: Int, _ weights: (Int) -> [(Int, Double)]) -> Plane {
        var result = Plane(width: height, height: length, values: [])
        result.values.reserveCapacity(height * length)
        for x in 0..<length {
            let weights = weights(x)
            for y in 0..<height {
                var sum = 0.0
                for (index, weight) in weights { sum += values[y * width + index] * weight }
                result.values.append(sum)
            }
        }
        return result
    }
}
