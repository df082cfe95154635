/// The drawing of a character: rows from the top, the leftmost pixel in the lowest bit.
struct LabelGlyph: Sendable {
    let width: Int
    let rows: [UInt32]

    init(width: Int, rows: [UInt32]) {
        self.width = width
        self.rows = rows
    }

    /// Reads a drawing: rows separated by spaces, `#` for ink. Empty columns at both sides are cut.
    init(_ drawing: String) {
        let raw = drawing.split(separator: " ").map { row in
            row.enumerated().reduce(UInt32(0)) {
                $1.element == "#" ? $0 | 1 << UInt32(truncatingIfNeeded: $1.offset) : $0
            }
        }
        let ink = raw.reduce(0, |)
        guard ink != 0 else {
            self.init(width: 3, rows: [])
            return
        }
        let left = UInt32(truncatingIfNeeded: ink.trailingZeroBitCount)
        self.init(width: 32 - ink.leadingZeroBitCount - Int(left), rows: raw.map { $0 >> left })
    }

    /// The drawing at twice the size, smoothed.
    ///
    /// Each pixel becomes four. A corner takes the color of its two neighbors if they agree with each other and with
    /// neither of their opposites.
    /// - Source: A. Mazzoleni, Scale2x.
    var doubled: LabelGlyph {
        func ink(_ x: Int, _ y: Int) -> Bool {
            y >= 0 && y < rows.count && x >= 0 && x < width && rows[y] >> UInt32(truncatingIfNeeded: x) & 1 == 1
        }
        var out = [UInt32](repeating: 0, count: rows.count * 2)
        for y in rows.indices {
            for x in 0..<width {
                let (own, up, down) = (ink(x, y), ink(x, y - 1), ink(x, y + 1))
                let (left, right) = (ink(x - 1, y), ink(x + 1, y))
                let edge = up != down && left != right
                let corners = [
                    (edge && left == up ? left : own, 0, 0), (edge && up == right ? right : own, 1, 0),
                    (edge && left == down ? left : own, 0, 1), (edge && down == right ? right : own, 1, 1),
                ]
                for (isInk, dx, dy) in corners where isInk {
                    out[y * 2 + dy] |= 1 << UInt32(truncatingIfNeeded: x * 2 + dx)
                }
            }
        }
        return LabelGlyph(width: width * 2, rows: out)
    }
}
