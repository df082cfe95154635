import FirnSystem

extension ColorWeights {
    static let gray = ColorWeights(rows: [luma + [0], luma + [0], luma + [0]])

    /// The sepia tone, with the usual coefficients (W3C Filter Effects 1 §8.3).
    static let sepia = ColorWeights(rows: [
        [0.393, 0.769, 0.189, 0], [0.349, 0.686, 0.168, 0], [0.272, 0.534, 0.131, 0],
    ])

    /// Shades of `color`.
    static func tint(_ color: [Double]) -> ColorWeights {
        ColorWeights(rows: color.map { component in luma.map { $0 * component } + [0] })
    }

    static func offset(_ amount: Double) -> ColorWeights {
        var weights = unchanged
        for row in 0..<3 { weights.rows[row][3] = amount }
        return weights
    }

    /// Scales the contrast around middle gray.
    static func contrast(_ factor: Double) -> ColorWeights {
        ColorWeights(
            rows: (0..<3).map { row in (0..<3).map { $0 == row ? factor : 0 } + [(1 - factor) / 2] })
    }

    /// Rotates the hue and keeps lightness. Source: W3C Filter Effects 1 §9.6 (hueRotate), with BT.709's luma.
    static func hue(_ degrees: Double) -> ColorWeights {
        let (cosine, sine) = (cos(degrees * Double.pi / 180), sin(degrees * Double.pi / 180))
        let turn = [[-luma[0], -luma[1], 1 - luma[2]], [0.143, 0.140, -0.283], [-(1 - luma[0]), luma[1], luma[2]]]
        func weight(_ row: Int, _ column: Int) -> Double {
            let identity = row == column ? 1.0 : 0.0
            return luma[column] + cosine * (identity - luma[column]) + sine * turn[row][column]
        }
        return ColorWeights(rows: (0..<3).map { row in (0..<3).map { weight(row, $0) } + [0] })
    }
}
