import FirnSystem

/// How each new color of a pixel is made of its old ones: three rows of four numbers, the weights of red, green and blue
/// and what is added, where 1 is a full component.
struct ColorWeights: Hashable, Sendable {
    var rows: [[Double]]

    static let unchanged = ColorWeights(rows: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])

    /// What lightness is made of. Source: ITU-R BT.709-6 §3.2.
    static let luma = [0.2126, 0.7152, 0.0722]

    /// These and then others, as one.
    func followed(by next: ColorWeights) -> ColorWeights {
        ColorWeights(
            rows: next.rows.map { row in
                (0..<4).map { column in
                    (0..<3).reduce(column == 3 ? row[3] : 0) { $0 + row[$1] * rows[$1][column] }
                }
            })
    }

    /// Part of the way from the identity to these.
    func mixed(_ amount: Double) -> ColorWeights {
        ColorWeights(
            rows: (0..<3).map { row in
                (0..<4).map { Self.unchanged.rows[row][$0] * (1 - amount) + rows[row][$0] * amount }
            })
    }

    /// Whether no color of an image can leave 0...1.
    var neverCuts: Bool {
        rows.allSatisfy { row in
            let most = row[0..<3].reduce(row[3]) { $0 + max(0, $1) }
            let least = row[0..<3].reduce(row[3]) { $0 + min(0, $1) }
            return most <= 1 + 1e-9 && least >= -1e-9
        }
    }

    /// How many levels a color can change by for each level that all of the old ones change by.
    var gain: Double {
        rows.map { row in row[0..<3].reduce(0) { $0 + abs($1) } }.max() ?? 0
    }
}
