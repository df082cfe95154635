import FirnData
import FirnImage
import FoundationEssentials

/// Draws lines of text in any script: as SVG, for which librsvg uses Pango with the fonts of the machine.
struct LabelPainter: Sendable {
    /// The size of the letters, in pixels of the page.
    let fontSize: Int
    /// The distance between the tops of two lines.
    let lineHeight: Int

    /// True if this build has SVG, and the machine has fonts. Without one, nothing is drawn, or boxes of one size.
    static let isThere: Bool = {
        let painter = LabelPainter(fontSize: 16, lineHeight: 20)
        return painter.width(of: "i") > 0 && painter.width(of: "W") > painter.width(of: "i")
    }()

    /// Maximum length of a text: longer ones fit no page.
    private static let longest = 400

    /// Returns the width of a line of text in pixels, as far as it is drawn.
    func width(of text: String) -> Int {
        // No letter is wider than two of its heights.
        let room = (min(text.count, LabelPainter.longest) + 1) * fontSize * 2
        guard let drawn = bitmap(of: text, width: room, .white) else { return 0 }
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
