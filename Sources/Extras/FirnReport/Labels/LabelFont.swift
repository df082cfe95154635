import FirnCodecs

/// The font of labels: Pango's fonts for any script, or a built-in font in a build without SVG or on a machine without
/// fonts.
///
/// The built-in font is a small proportional bitmap font: ASCII, capitals 7 pixels high, descenders 2 pixels deep.
/// Other characters are drawn as an empty box. The double size has smooth diagonals.
package struct LabelFont: Sendable {
    /// The size: 1 or 2.
    let scale: Int

    private let painter: LabelPainter?

    /// Creates the font at a size of 1 or 2.
    ///
    /// - Parameter usesPango: whether Pango is used if it is available. Default: true.
    package init(scale: Int, usesPango: Bool = true) {
        self.scale = min(max(scale, 1), 2)
        painter = usesPango && LabelPainter.isThere ? LabelPainter(scale: self.scale) : nil
    }

    /// The distance between the tops of two lines, for both fonts.
    var lineHeight: Int { 8 + 8 * scale }

    package func width(of text: String) -> Int {
        if let painter { return painter.width(of: text) }
        return max(0, text.unicodeScalars.reduce(-scale) { $0 + letter($1).width + scale })
    }

    /// Draws one line with its top left corner at a position.
    package func draw(_ text: String, x: Int, y: Int, _ color: SRGBColor, on canvas: borrowing Canvas) {
        if let painter {
            let width = min(painter.width(of: text), canvas.size.width - x)
            if let line = painter.bitmap(of: text, width: width, color) {
                canvas.draw(line, x: x, y: y, isCheckered: false)
            }
            return
        }
        var pen = x
        for scalar in text.unicodeScalars {
            let letter = letter(scalar)
            for (column, row) in letter.ink { canvas.set(pen + column, y + row, color) }
            pen += letter.width + scale
        }
    }

    /// Returns the drawing of a character, or an empty box.
    private func letter(_ scalar: Unicode.Scalar) -> Letter {
        let letters = LabelFont.letters[scale - 1]
        let index = Int(scalar.value) - 32
        return letters[letters.indices.contains(index) ? index : letters.count - 1]
    }

    /// A glyph: its width and its pixels, relative to the top left corner.
    private struct Letter: Sendable {
        let width: Int
        let ink: [(column: Int, row: Int)]
    }

    /// The glyphs of `letters.png` at both sizes: the characters from the space (32) to the tilde (126) and the empty
    /// box, in cells of 6 by 9 pixels, and below them in cells of 12 by 18.
    private static let letters: [[Letter]] = {
        let image = decoded(Data(PackageResources.letters_png))
        return [1, 2].map { scale in
            (0..<96).map { index in
                guard let image else { return Letter(width: 0, ink: []) }
                var ink: [(column: Int, row: Int)] = []
                image.withUnsafeBytes { bytes in
                    for row in 0..<9 * scale {
                        for column in 0..<6 * scale {
                            let (x, y) = (index * 6 * scale + column, row + (scale - 1) * 9)
                            let at = y * image.bytesPerRow + x * image.format.bytesPerPixel
                            if bytes[at] != 0 { ink.append((column, row)) }
                        }
                    }
                }
                return Letter(width: ink.isEmpty ? 3 * scale : (ink.map(\.column).max() ?? 0) + 1, ink: ink)
            }
        }
    }()

    /// Decodes a trusted image in this process, because a decoder process would take milliseconds for each line of
    /// text.
    static func decoded(_ data: Data) -> Bitmap? {
        let decoder = ImageDecoder(decoders: (try? ImageDecoders.standard(isolation: .none)) ?? [])
        guard (try? decoder.append(data)) != nil else { return nil }
        decoder.finish()
        return try? decoder.frame(at: 0).image()
    }

    /// Returns `text` in at most `limit` lines no wider than `width`, broken at spaces if possible.
    ///
    /// Text that does not fit is omitted, and the last line then ends with an ellipsis.
    func wrapped(_ text: String, width: Int, limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if self.width(of: longer) <= width {
                line = longer
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = ""
            // A word wider than a line is broken.
            var rest = Array(word)[...]
            while true {
                let count = fitting(rest, width: width)
                if count == rest.count { break }
                lines.append(String(rest.prefix(max(1, count))))
                rest = rest.dropFirst(max(1, count))
            }
            line = String(rest)
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit, limit > 0 else { return lines }
        let last = Array(lines[limit - 1])[...]
        return lines.prefix(limit - 1) + [String(last.prefix(fitting(last, before: "...", width: width))) + "..."]
    }

    /// Returns the number of leading characters that are no wider than `width`, followed by `ending`.
    ///
    /// Measures a logarithmic number of times, because each measurement draws the text.
    private func fitting(_ text: ArraySlice<Character>, before ending: String = "", width: Int) -> Int {
        var (low, high) = (0, text.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if self.width(of: String(text.prefix(middle)) + ending) <= width { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

/// Draws lines of text in any script as SVG, for which librsvg uses Pango and the fonts of the machine.
struct LabelPainter: Sendable {
    let scale: Int

    /// The size of the letters, in pixels of the page.
    private var fontSize: Int { 6 + 6 * scale }
    /// The distance between the tops of two lines.
    var lineHeight: Int { 8 + 8 * scale }

    /// True if this build has SVG and the machine has fonts. Otherwise nothing is drawn, or boxes of equal size.
    static let isThere: Bool = {
        let painter = LabelPainter(scale: 2)
        return painter.width(of: "i") > 0 && painter.width(of: "W") > painter.width(of: "i")
    }()

    /// The maximum length of a text; longer texts fit on no page.
    private static let longest = 400

    /// Returns the drawn width of a line of text in pixels.
    func width(of text: String) -> Int {
        // No letter is wider than twice its height.
        let limit = (min(text.count, LabelPainter.longest) + 1) * fontSize * 2
        guard let drawn = bitmap(of: text, width: limit, .white) else { return 0 }
        return drawn.withUnsafeBytes { bytes in
            var width = 0
            for y in 0..<drawn.size.height {
                let row = bytes[(y * drawn.bytesPerRow)...].prefix(drawn.size.width * 4)
                // Alpha is the last byte of a pixel.
                for x in stride(from: drawn.size.width, to: width, by: -1) where row[row.startIndex + x * 4 - 1] != 0 {
                    width = x
                    break
                }
            }
            return width
        }
    }

    /// Returns a line of text on a transparent background, at most `width` pixels wide; `nil` if it cannot be drawn.
    func bitmap(of text: String, width: Int, _ color: SRGBColor) -> Bitmap? {
        let shown = MarkupText.escaped(TerminalText.escaped(String(text.prefix(LabelPainter.longest))))
        let document = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(max(1, width))" height="\(lineHeight)">\
            <text x="0" y="\(lineHeight * 3 / 4)" font-family="sans-serif" font-size="\(fontSize)" \
            fill="rgb(\(color.red),\(color.green),\(color.blue))" xml:space="preserve">\(shown)</text></svg>
            """
        return LabelFont.decoded(Data(document.utf8))
    }
}
