import FoundationEssentials

/// Writes figures as JSON (`{name: {value, unit, against, ratio}}`) and as a drawing.
enum FigureFile {
    static func writeJSON(_ figures: [Figure], to path: String) throws {
        struct Entry: Encodable {
            let value: Double
            let unit: String
            let against: String
            let ratio: Double
        }
        let entries = Dictionary(
            uniqueKeysWithValues: figures.map {
                ($0.name, Entry(value: $0.value, unit: $0.unit, against: $0.against, ratio: $0.ratio))
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(entries).write(to: URL(filePath: path))
    }

    /// A bar for each figure: its ratio to what it is measured against; a line where the limit is.
    static func writePlot(_ figures: [Figure], to path: String) throws {
        let (left, right, line) = (250.0, 560.0, 26.0)
        let height = Double(figures.count) * line + 50
        var svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"\(height)\" font-family=\"sans-serif\" "
            + "font-size=\"12\">\n<rect width=\"860\" height=\"\(height)\" fill=\"#ffffff\"/>\n"
            + "<text x=\"10\" y=\"20\" font-weight=\"bold\">Ratio to the limit or peer named (shorter is better)</text>\n"
        let longest = max(figures.map(\.ratio).max() ?? 1, figures.compactMap(\.ratioLimit).max() ?? 1)
        func x(_ ratio: Double) -> Double { left + ratio / longest * (right - left) }
        for (index, figure) in figures.enumerated() {
            let y = 36 + Double(index) * line
            svg += "<text x=\"10\" y=\"\(y + 13)\">\(escaped(figure.name))</text>\n"
            svg +=
                "<rect x=\"\(left)\" y=\"\(y + 2)\" width=\"\(x(figure.ratio) - left)\" height=\"14\" "
                + "fill=\"\(figure.isMet ? "#3a7ca5" : "#c8553d")\"/>\n"
            if let limit = figure.ratioLimit {
                svg +=
                    "<line x1=\"\(x(limit))\" x2=\"\(x(limit))\" y1=\"\(y - 1)\" y2=\"\(y + 19)\" stroke=\"#222222\"/>\n"
            }
            let note = "\(FigureTable.rounded(figure.ratio)) × \(figure.against)"
            svg += "<text x=\"\(right + 10)\" y=\"\(y + 13)\">\(escaped(note))</text>\n"
        }
        try Data((svg + "</svg>\n").utf8).write(to: URL(filePath: path))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
