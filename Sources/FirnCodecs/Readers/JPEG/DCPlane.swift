/// The DC coefficients of one component, as far as scans have told them.
///
/// Invariant: `values` has one number for each block of whole MCUs, row by row, in units of the quantization step; the
/// lowest `unknownBits` bits of each are 0.
struct DCPlane {
    let component: JPEGFrame.Component
    var values: [Int16]
    /// Low bits that no scan has told yet; `nil` before the first scan.
    var unknownBits: Int?
    /// The step of the quantization, fixed when the first scan begins.
    var step = 1

    /// Most that the samples may be off for the bits not told, in levels of 255: a step counts an eighth of a level.
    static let toleratedLevels = 1.25

    init(_ component: JPEGFrame.Component) {
        self.component = component
        values = [Int16](repeating: 0, count: component.paddedBlocksWide * component.paddedBlocksHigh)
    }

    /// Whether more bits would not change what is seen.
    var isPrecise: Bool {
        guard let unknownBits else { return false }
        return Double(step * ((1 << unknownBits) - 1)) / 16 <= DCPlane.toleratedLevels
    }

    /// The mean of each block as a sample; gives up the coefficients.
    ///
    /// Bits not told count as the middle of what they may be. Exact bits give what libjpeg's 1x1 IDCT gives.
    mutating func takeSamples() -> [UInt8] {
        let middle = step * ((1 << (unknownBits ?? 0)) - 1) / 2
        let step = self.step
        // Invariant: |value * step| is below 2^15 * 2^16.
        let samples = values.map { UInt8(clamping: (Int($0) * step + middle + 4) >> 3 + 128) }
        values = []
        return samples
    }
}
