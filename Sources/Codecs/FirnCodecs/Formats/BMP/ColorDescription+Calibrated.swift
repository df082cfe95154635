import FirnImage

extension ColorDescription {
    /// Reads the calibrated colors of a BITMAPV4HEADER: CIEXYZTRIPLE in 2.30 and three gammas in 16.16 fixed point.
    ///
    /// Writers store either XYZ, whose sum is the white point, or, as the structure's sample code does, chromaticities,
    /// whose white point is assumed to be D65. Gammas that differ are averaged, because one exponent stands for all.
    ///
    /// - Returns: `nil` if a number makes no sense; many writers leave zeros.
    init?(calibrated fields: LittleEndianFields, at offset: Int) {
        var ends: [SIMD3<Double>] = []
        for index in 0..<3 {
            let at = offset + index * 12
            func value(_ place: Int) -> Double { Double(fields.i32(at + place * 4)) / 0x1p30 }
            ends.append(SIMD3(value(0), value(1), value(2)))
            guard ends[index].min() >= 0, ends[index].y > 0 else { return nil }
        }
        let gamma = (0..<3).reduce(0.0) { $0 + Double(fields.u32(offset + 36 + $1 * 4)) / 0x1p16 } / 3
        guard gamma > 0.1, gamma < 10 else { return nil }
        func point(_ end: SIMD3<Double>) -> Chromaticity { Chromaticity(end.x, end.y) / end.sum() }
        let areChromaticities = ends.allSatisfy { abs($0.sum() - 1) < 0.01 }
        self.init()
        self.gamma = 1 / gamma
        primaries = Primaries(
            white: areChromaticities ? Chromaticity(x: 0.3127, y: 0.3290) : point(ends[0] + ends[1] + ends[2]),
            red: point(ends[0]), green: point(ends[1]), blue: point(ends[2]))
    }
}
