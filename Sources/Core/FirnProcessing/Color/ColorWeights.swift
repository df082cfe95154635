import FirnSystem

/// A color matrix: computes each new component of a pixel from the old ones. Each of its three rows has the weights of
/// red, green and blue and an offset, where 1 is a full component.
struct ColorWeights: Hashable, Sendable {
    var rows: [[Double]]

    static let unchanged = ColorWeights(rows: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])

    /// The weights of red, green and blue in luma. Source: ITU-R BT.709-6 §3.2.
    static let luma = [0.2126, 0.7152, 0.0722]

    /// Returns the single matrix that applies this one first and then `next`.
    func followed(by next: ColorWeights) -> ColorWeights {
        ColorWeights(
            rows: next.rows.map { row in
                (0..<4).map { column in
                    (0..<3).reduce(column == 3 ? row[3] : 0) { $0 + row[$1] * rows[$1][column] }
                }
            })
    }

    /// Returns the interpolation between the identity (0) and this matrix (1).
    func mixed(_ amount: Double) -> ColorWeights {
        ColorWeights(
            rows: (0..<3).map { row in
                (0..<4).map { Self.unchanged.rows[row][$0] * (1 - amount) + rows[row][$0] * amount }
            })
    }

    /// True if no color of an image can leave 0...1, so that nothing is clamped.
    var neverCuts: Bool {
        rows.allSatisfy { row in
            let most = row[0..<3].reduce(row[3]) { $0 + max(0, $1) }
            let least = row[0..<3].reduce(row[3]) { $0 + min(0, $1) }
            return most <= 1 + 1e-9 && least >= -1e-9
        }
    }

    /// The most levels that a component can change by if all old components change by one level.
    var gain: Double {
        rows.map { row in row[0..<3].reduce(0) { $0 + abs($1) } }.max() ?? 0
    }
}
