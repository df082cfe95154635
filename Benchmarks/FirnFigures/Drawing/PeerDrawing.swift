/// Draws figures against their peers: a bar for each ratio, grouped by the parts of the bench, with a dashed line at
/// the peer and a mark at the limit.
package enum PeerDrawing {
    private static let columnWidth = 590.0
    private static let bars = (left: 196.0, width: 150.0)
    /// Larger ratios are cut off; the text has their value.
    private static let longest = 2.0
    private static let row = 16.0
    private static let head = 26.0

    /// - Parameter note: the origin of the figures: a commit, a date.
    /// - Returns: an SVG file; if there are no figures, one that says so.
    package static func svg(title: String, note: String, _ figures: [Figure], _ thresholds: Thresholds) -> String {
        let parts = groups(figures)
        let columns = columns(parts)
        let width = Double(columns.count) * columnWidth + 20
        var drawing = SVGDrawing(width: width)
        drawing.text(title, x: 14, y: 24, size: 15, isBold: true)
        drawing.text(note, x: 14, y: 42, .quiet)
        key(&drawing, right: width - 14, y: columns.count > 1 ? 24 : 60)
        let top = columns.count > 1 ? 60.0 : 76.0
        if figures.isEmpty { drawing.text("Nothing was measured.", x: 14, y: top + 14, .quiet) }
        var height = top + 40
        for (index, column) in columns.enumerated() {
            var y = top
            for part in column {
                draw(part, thresholds, &drawing, x: 14 + Double(index) * columnWidth, y: y)
                y += PeerDrawing.height(part)
            }
            height = max(height, y + 10)
        }
        return drawing.file(height: height, title: title)
    }

    private struct Part {
        let name: String
        let figures: [Figure]
    }

    private static func groups(_ figures: [Figure]) -> [Part] {
        var names: [String] = []
        for figure in figures where !names.contains(figure.part) { names.append(figure.part) }
        return names.map { name in Part(name: name, figures: figures.filter { $0.part == name }) }
    }

    /// Returns one column, or two of about equal height if one would be too long.
    private static func columns(_ parts: [Part]) -> [[Part]] {
        let whole = parts.reduce(0) { $0 + height($1) }
        guard whole > 700, parts.count > 1 else { return [parts] }
        var best: (difference: Double, split: Int) = (.infinity, parts.count)
        var above = 0.0
        for (index, part) in parts.enumerated() {
            above += height(part)
            let difference = abs(whole - 2 * above)
            if difference < best.difference { best = (difference, index + 1) }
        }
        return [Array(parts[..<best.split]), Array(parts[best.split...])].filter { !$0.isEmpty }
    }

    private static func height(_ part: Part) -> Double { head + Double(part.figures.count) * row + 10 }

    private static func draw(_ part: Part, _ thresholds: Thresholds, _ drawing: inout SVGDrawing, x: Double, y: Double)
    {
        drawing.text(part.name, x: x, y: y + 14, size: 12, isBold: true)
        drawing.line(from: (x, y + 19), to: (x + columnWidth - 14, y + 19), .faint)
        let peer = x + bars.left + bars.width / longest
        let bottom = y + head + Double(part.figures.count) * row
        drawing.line(from: (peer, y + head - 3), to: (peer, bottom), .plain, isDashed: true)
        for (index, figure) in part.figures.enumerated() {
            draw(figure, thresholds[figure.name], &drawing, x: x, y: y + head + Double(index) * row)
        }
    }

    private static func draw(
        _ figure: Figure, _ threshold: Threshold?, _ drawing: inout SVGDrawing, x: Double, y: Double
    ) {
        let name = String(figure.name.dropFirst(figure.part.count + 1))
        drawing.text(shortened(name, 32), x: x, y: y + 11, size: 10.5)
        let left = x + bars.left
        func place(_ ratio: Double) -> Double { left + min(max(ratio, 0), longest) / longest * bars.width }
        let ratio = length(figure, threshold)
        let ink: SVGDrawing.Ink =
            threshold.map { $0.isAsked ? ($0.isMet(by: figure) ? .met : .missed) : .plain } ?? .plain
        if let ratio { drawing.rect(x: left, y: y + 3, width: max(1, place(ratio) - left), height: 9, ink) }
        if let ratio, ratio > longest { drawing.text("›", x: place(ratio) + 1, y: y + 11, ink) }
        for limit in limits(figure, threshold) where limit <= longest {
            drawing.line(from: (place(limit), y), to: (place(limit), y + 15), .words, width: 1.5)
        }
        let words = [figure.amountText, figure.peer ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
        drawing.text(shortened(words, 38), x: left + bars.width + 10, y: y + 11, .quiet, size: 10)
    }

    /// Returns the ratio to the peer, or to the limit if there is no peer.
    private static func length(_ figure: Figure, _ threshold: Threshold?) -> Double? {
        if let ratio = figure.ratio { return ratio }
        guard let limit = threshold?.valueAtMost ?? threshold?.valueAtLeast, figure.value.isFinite else { return nil }
        return limit > 0 ? figure.value / limit : figure.value
    }

    /// Returns the positions of the limits, in the unit of the bars.
    private static func limits(_ figure: Figure, _ threshold: Threshold?) -> [Double] {
        guard let threshold else { return [] }
        let values = [threshold.valueAtMost, threshold.valueAtLeast].compactMap { limit -> Double? in
            guard let limit, let length = length(figure, threshold), figure.value > 0 else { return nil }
            return limit / figure.value * length
        }
        return [threshold.ratioAtMost, threshold.ratioAtLeast].compactMap { $0 } + values
    }

    private static func shortened(_ text: String, _ count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }

    private static func key(_ drawing: inout SVGDrawing, right: Double, y: Double) {
        var x = right - 430
        for (ink, word, width) in [
            (SVGDrawing.Ink.met, "met", 50.0), (.missed, "missed", 68), (.plain, "nothing asked", 108),
        ] {
            drawing.rect(x: x, y: y - 9, width: 10, height: 9, ink)
            drawing.text(word, x: x + 15, y: y, .quiet)
            x += width
        }
        drawing.line(from: (x, y - 11), to: (x, y + 3), .words, width: 1.5)
        drawing.text("limit", x: x + 6, y: y, .quiet)
        drawing.line(from: (x + 50, y - 11), to: (x + 50, y + 3), .plain, isDashed: true)
        drawing.text("as the peer (1 ×)", x: x + 57, y: y, .quiet)
    }
}
