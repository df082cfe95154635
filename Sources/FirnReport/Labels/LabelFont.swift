import FirnImage

/// The font of labels: by Pango in any script; in a build without SVG and on a machine without fonts, letters of our own.
///
/// Those are a small proportional bitmap font: ASCII, capitals 7 pixels high, descenders 2 pixels deep. Anything else is drawn as an
/// empty box. Sizes are whole multiples of the drawing; the double size is smoothed by the rule of Scale2x, so that diagonals do
/// not look like stairs.
package struct LabelFont: Sendable {
    /// Pixels of the page for a pixel of the drawing at size 1.
    package let scale: Int

    private let painter: LabelPainter?

    /// The font at a size of 1 or 2.
    ///
    /// - Parameter usesPango: whether Pango draws where it is there. Default: yes.
    package init(scale: Int, usesPango: Bool = true) {
        self.scale = min(max(scale, 1), 2)
        painter = usesPango ? LabelPainter(fontSize: 6 + 6 * self.scale, lineHeight: 8 + 8 * self.scale) : nil
    }

    /// Distance between the tops of two lines, with every painter.
    package var lineHeight: Int { 8 + 8 * scale }
    /// Height of a capital.
    package var capHeight: Int { 7 * scale }

    /// The width of a line of text.
    package func width(of text: String) -> Int {
        if let painter { return painter.width(of: text) }
        let widths = text.unicodeScalars.map { LabelGlyphs.glyph($0).width * scale + scale }
        return max(0, widths.reduce(0, +) - scale)
    }

    /// Draws one line with its top left corner at a place.
    package func draw(_ text: String, x: Int, y: Int, _ color: RGBColor, on canvas: borrowing Canvas) {
        if let painter {
            let width = min(painter.width(of: text), canvas.size.width - x)
            if let line = painter.bitmap(of: text, width: width, color) { canvas.blend(line, x: x, y: y) }
            return
        }
        var pen = x
        for scalar in text.unicodeScalars {
            let drawing = LabelGlyphs.glyph(scalar)
            let glyph = scale == 2 ? drawing.doubled : drawing
            for (row, bits) in glyph.rows.enumerated() {
                for column in 0..<glyph.width where bits >> UInt32(column) & 1 == 1 {
                    canvas.set(pen + column, y + row, color)
                }
            }
            pen += glyph.width + scale
        }
    }

    /// `text` cut into at most `limit` lines no wider than `width`, at spaces where there are any.
    ///
    /// What does not fit is left out, and the last line then ends with dots.
    package func wrapped(_ text: String, width: Int, limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in pieces(of: text, width: width) {
            let longer = line.isEmpty ? word : "\(line) \(word)"
            if self.width(of: longer) <= width {
                line = longer
            } else {
                lines.append(line)
                line = word
            }
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit, limit > 0 else { return lines }
        var last = lines[limit - 1]
        while !last.isEmpty, self.width(of: last + "...") > width { last.removeLast() }
        return lines.prefix(limit - 1) + [last + "..."]
    }

    /// The words of a text; those wider than a line are cut.
    private func pieces(of text: String, width: Int) -> [String] {
        text.split(separator: " ").flatMap { word -> [String] in
            var pieces: [String] = []
            var piece = ""
            for character in word {
                if !piece.isEmpty, self.width(of: piece + String(character)) > width {
                    pieces.append(piece)
                    piece = ""
                }
                piece.append(character)
            }
            return pieces + [piece]
        }
    }
}
