import FirnCodecs
import FirnImage
import FoundationEssentials

/// Draws lines of text in any script: as SVG, for which librsvg uses Pango with the fonts of the machine.
struct LabelPainter: Sendable {
    /// The size of the letters, in pixels of the page.
    let fontSize: Int
    /// The distance between the tops of two lines.
    let lineHeight: Int

    /// Returns `nil` in a build without SVG and on a machine without fonts.
    init?(fontSize: Int, lineHeight: Int) {
        guard LabelPainter.isThere else { return nil }
        self.init(checked: fontSize, lineHeight)
    }

    private init(checked fontSize: Int, _ lineHeight: Int) {
        self.fontSize = fontSize
        self.lineHeight = lineHeight
    }

    /// Without a font, nothing is drawn, or boxes of one size.
    private static let isThere: Bool = {
        let painter = LabelPainter(checked: 16, 20)
        return painter.width(of: "i") > 0 && painter.width(of: "W") > painter.width(of: "i")
    }()

    /// Returns a decoder in this process: the documents are our own, and a process for each line takes milliseconds.
    private static func makeDecoder() -> ImageDecoder {
        ImageDecoder(decoders: (try? ImageDecoders.standard(isolation: .none)) ?? [])
    }

    /// Maximum length of a text: longer ones fit no page.
    private static let longest = 400

    /// Returns the width of a line of text in pixels: a document without a size is as large as its content.
    func width(of text: String) -> Int {
        let decoder = LabelPainter.makeDecoder()
        guard (try? decoder.append(document(text, size: "", color: "#000"))) != nil else { return 0 }
        decoder.finish()
        return decoder.properties?.displaySize.width ?? 0
    }

    /// Returns a line of text on a transparent background, at most `width` pixels wide; `nil` if it cannot be drawn.
    func bitmap(of text: String, width: Int, _ color: RGBColor) -> Bitmap? {
        let size = "width=\"\(max(1, width))\" height=\"\(lineHeight)\""
        let decoder = LabelPainter.makeDecoder()
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

    /// Escapes text for XML. Scalars that XML does not allow are replaced.
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
