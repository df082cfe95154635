import FirnSystem

extension FilterWindows {
    /// Returns the windows of a Gaussian of standard deviation `radius`, cut at four times the radius. 0.006 % of its
    /// weight lies beyond.
    ///
    /// The outermost pixel repeats beyond each edge: it gets the weights of the pixels that do not exist.
    static func gaussian(_ length: Int, radius: Double) -> FilterWindows {
        let half = gaussianHalf(radius: radius)
        let reach = half.count - 1
        let kernel = half.reversed() + half.dropFirst()
        let taps = min(length, 2 * reach + 1)
        var starts: [Int] = []
        var weights = [Double](repeating: 0, count: taps * length)
        starts.reserveCapacity(length)
        for output in 0..<length {
            let start = min(max(0, output - reach), length - taps)
            starts.append(start)
            for (index, weight) in kernel.enumerated() {
                let pixel = min(max(0, output - reach + index), length - 1)
                weights[output * taps + pixel - start] += weight
            }
        }
        return FilterWindows(taps: taps, starts: starts, weights: weights)
    }

    /// Returns the weights of such a window from its middle to one end.
    static func gaussianHalf(radius: Double) -> [Double] {
        let half = (0...Int((4 * radius).rounded(.up))).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = 2 * half.reduce(0, +) - half[0]
        return half.map { $0 / sum }
    }
}
