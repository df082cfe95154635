import FirnCodecs
import FirnImage
import FoundationEssentials

/// Draws lines of text in any script: as SVG, which librsvg lays out by Pango with the fonts of the machine.
struct LabelPainter: Sendable {
    /// Height of the letters, in pixels of the page.
    let fontSize: Int
    /// Distance between the tops of two lines.
    let lineHeight: Int

    /// `nil` in a build without SVG, and on a machine without fonts.
    init?(fontSize: Int, lineHeight: Int) {
        guard LabelPainter.isThere else { return nil }
        self.init(checked: fontSize, lineHeight)
    }

    private init(checked fontSize: Int, _ lineHeight: Int) {
        self.fontSize = fontSize
        self.lineHeight = lineHeight
    }

    /// Without a font nothing is drawn, or a box of one size for each letter.
    private static let isThere: Bool = {
        let painter = LabelPainter(checked: 16, 20)
        return painter.width(of: "i") > 0 && painter.width(of: "W") > painter.width(of: "i")
    }()
    /// Longer texts are cut: none of them fits a page.
    private static let longest = 400

    /// The width of a line of text, in pixels: a document without a size is as large as what is drawn in it.
    func width(of text: String) -> Int {
        let decoder = ImageDecoder()
        guard (try? decoder.append(document(text, size: "", color: "#000"))) != nil else { return 0 }
        decoder.finish()
        return decoder.properties?.displaySize.width ?? 0
    }

    /// A line of text on a transparent ground, `width` pixels wide at most; `nil` if it cannot be drawn.
    func bitmap(of text: String, width: Int, _ color: RGBColor) -> Bitmap? {
        let size = "width=\"\(max(1, width))\" height=\"\(lineHeight)\""
        let decoder = ImageDecoder()
        let fill = "rgb(\(color.red),\(color.green),\(color.blue))"
        guard (try? decoder.append(document(text, size: size, color: fill))) != nil else { return nil }
        decoder.finish()
        return try? decoder.frame(at: 0).image()
    }

    private func document(_ text: String, size: String, color: String) -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(size)><text x="0" y="\(lineHeight * 3 / 4)" \
            font-family="sans-serif" font-size="\(fontSize)" fill="\(color)" xml:space="preserve">\
            \(LabelPainter.escaped(text))</text></svg>
            """.utf8)
    }

    /// Text as XML has it; scalars that XML does not have are replaced.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in TerminalText.escaped(String(text.prefix(longest))).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
