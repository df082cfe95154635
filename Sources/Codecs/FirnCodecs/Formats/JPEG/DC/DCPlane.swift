/// The DC coefficients of one component, as far as they are decoded.
///
/// Invariant: `values` has one number for each block of whole MCUs, row by row, in units of the quantization step; the
/// lowest `unknownBits` bits of each are 0.
struct DCPlane {
    let component: JPEGFrame.Component
    var values: [Int16]
    /// The number of low bits that no scan has decoded yet; `nil` before the first scan.
    var unknownBits: Int?
    /// The quantization step, fixed when the first scan begins.
    var step = 1

    /// The largest error of a sample that missing bits may cause, in levels of 255. A step counts as an eighth of a
    /// level.
    static let toleratedLevels = 1.25

    init(_ component: JPEGFrame.Component) {
        self.component = component
        values = [Int16](repeating: 0, count: component.paddedBlocksWide * component.paddedBlocksHigh)
    }

    /// True if more bits would make no visible difference.
    var isPrecise: Bool {
        guard let unknownBits else { return false }
        return Double(step * ((1 << unknownBits) - 1)) / 16 <= DCPlane.toleratedLevels
    }

    /// Returns the mean of each block as a sample, and releases the coefficients.
    ///
    /// Missing bits count as the middle of their range. Exact bits give the result of libjpeg's 1x1 IDCT.
    mutating func takeSamples() -> [UInt8] {
        let middle = step * ((1 << (unknownBits ?? 0)) - 1) / 2
        let step = self.step
        // Invariant: |value * step| is below 2^15 * 2^16.
        let samples = values.map { UInt8(clamping: (Int($0) * step + middle + 4) >> 3 + 128) }
        values = []
        return samples
    }
}
