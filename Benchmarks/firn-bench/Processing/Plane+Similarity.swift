import FirnSystem

extension Plane {
    /// Returns the mean structural similarity with another plane of the same size. The windows, around every pixel that
    /// has all neighbors, are 11 × 11 with Gaussian weights of standard deviation 1.5; K₁ = 0.01, K₂ = 0.03, L = 255.
    ///
    /// Source: Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", IEEE Transactions on Image Processing 13,
    /// 2004.
    func similarity(to other: Plane) -> Double {
        let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
        let (meansA, meansB) = (weighed(), other.weighed())
        let squaresA = times(self).weighed()
        let squaresB = other.times(other).weighed()
        let products = times(other).weighed()
        var total = 0.0
        for index in products.values.indices {
            let (a, b) = (meansA.values[index], meansB.values[index])
            let (varianceA, varianceB) = (squaresA.values[index] - a * a, squaresB.values[index] - b * b)
            total +=
                (2 * a * b + c1) * (2 * (products.values[index] - a * b) + c2)
                / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
        }
        return total / Double(products.values.count)
    }

    /// Returns the weighted mean of each window.
    private func weighed() -> Plane {
        let kernel = (-5...5).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
        let sum = kernel.reduce(0, +)
        let weights = { (x: Int) in kernel.enumerated().map { (x + $0.offset, $0.element / sum) } }
        return mixed(width - 10, weights).mixed(height - 10, weights)
    }

    private func times(_ other: Plane) -> Plane {
        Plane(width: width, height: height, values: zip(values, other.values).map { $0 * $1 })
    }
}
