internal import FirnSystem

/// The values of `count` cosine waves at every pixel of a line: 0, 1, 2… half waves over `length` pixels.
struct CosineTable {
    private let count: Int
    private let values: [Double]

    /// - Parameter shift: the place in a pixel where the wave is sampled: 0 at its start, 0.5 at its middle.
    init(count: Int, length: Int, shift: Double) {
        self.count = count
        var values: [Double] = []
        values.reserveCapacity(count * length)
        for pixel in 0..<length {
            for wave in 0..<count {
                values.append(cos(Double.pi * Double(wave) * (Double(pixel) + shift) / Double(length)))
            }
        }
        self.values = values
    }

    subscript(pixel: Int, wave: Int) -> Double { values[pixel * count + wave] }
}
