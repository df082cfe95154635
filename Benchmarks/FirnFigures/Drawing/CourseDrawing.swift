/// Draws how figures changed from run to run: a small chart for each, with a line for its ratio (its value, if it has
/// no peer) and one for its limit.
package enum CourseDrawing {
    private static let columns = 4
    private static let cell = (width: 290.0, height: 74.0)
    private static let plot = (top: 32.0, height: 32.0, width: 262.0)
    private static let head = 24.0

    /// - Returns: an SVG file; if there are no runs, one that says so.
    package static func svg(title: String, _ history: RunHistory, _ thresholds: Thresholds) -> String {
        let figures = history.newest { thresholds[$0] != nil }
        var drawing = SVGDrawing(width: Double(columns) * cell.width + 20)
        drawing.text(title, x: 14, y: 24, size: 15, isBold: true)
        drawing.text(subtitle(history), x: 14, y: 42, .quiet)
        var y = 56.0
        var part = ""
        var column = 0
        for figure in figures {
            if figure.part != part {
                if column > 0 { y += cell.height }
                part = figure.part
                column = 0
                drawing.text(part, x: 14, y: y + 15, size: 12, isBold: true)
                drawing.line(from: (14, y + 20), to: (Double(columns) * cell.width, y + 20), .faint)
                y += head
            }
            draw(
                figure, thresholds[figure.name], history, &drawing, x: 14 + Double(column) * cell.width, y: y)
            column += 1
            if column == columns {
                column = 0
                y += cell.height
            }
        }
        if column > 0 { y += cell.height }
        return drawing.file(height: y + 14, title: title)
    }

    private static func subtitle(_ history: RunHistory) -> String {
        guard let first = history.runs.first, let last = history.runs.last else { return "There are no runs yet." }
        let runs = history.runs.count == 1 ? "1 run" : "\(history.runs.count) runs"
        return
            "\(runs), \(day(first)) \(first.version) to \(day(last)) \(last.version); down to 0 at the foot of each field; "
            + "hollow: of no commit; dashed: asked for"
    }

    private static func day(_ run: BenchRun) -> String { String(run.date.prefix(10)) }

    private static func draw(
        _ figure: Figure, _ threshold: Threshold?, _ history: RunHistory, _ drawing: inout SVGDrawing, x: Double,
        y: Double
    ) {
        let name = String(figure.name.dropFirst(figure.part.count + 1))
        drawing.text(name.count > 42 ? name.prefix(41) + "…" : name, x: x, y: y + 13, size: 10.5)
        let asked = threshold?.asked(unit: figure.unit) ?? ""
        drawing.text(figure.amountText + (asked.isEmpty ? "" : " · asked \(asked)"), x: x, y: y + 26, .quiet, size: 9.5)
        let (top, bottom) = (y + plot.top, y + plot.top + plot.height)
        drawing.line(from: (x, bottom), to: (x + plot.width, bottom), .faint)
        let course = history.course(of: figure.name)
        let limit =
            figure.peer == nil ? threshold?.valueAtMost ?? threshold?.valueAtLeast : ratioLimit(figure, threshold)
        let most = course.map(\.amount).max() ?? 0
        // A limit far above the values would flatten the line; then only the text shows it.
        let highest = max(most * 1.15, limit.map { $0 <= most * 2.5 ? $0 * 1.05 : 0 } ?? 0)
        guard highest > 0 else {
            // All values are 0: draws a line along the bottom.
            drawing.course(course.map { (place($0.run, history, x), bottom, $0.isChanged) }, .met)
            return
        }
        func height(_ amount: Double) -> Double { bottom - amount / highest * plot.height }
        if let limit, limit <= highest {
            drawing.line(from: (x, height(limit)), to: (x + plot.width, height(limit)), .words, isDashed: true)
        }
        let ink: SVGDrawing.Ink =
            threshold.map { $0.isAsked ? ($0.isMet(by: figure) ? .met : .missed) : .plain } ?? .plain
        drawing.course(course.map { (place($0.run, history, x), max(top, height($0.amount)), $0.isChanged) }, ink)
    }

    /// Places runs at equal distances; a single run stands in the middle.
    private static func place(_ run: Int, _ history: RunHistory, _ x: Double) -> Double {
        let last = history.runs.count - 1
        return x + 4 + (plot.width - 8) * (last > 0 ? Double(run) / Double(last) : 0.5)
    }

    private static func ratioLimit(_ figure: Figure, _ threshold: Threshold?) -> Double? {
        if let limit = threshold?.ratioAtMost ?? threshold?.ratioAtLeast { return limit }
        guard let limit = threshold?.valueAtMost ?? threshold?.valueAtLeast, let ratio = figure.ratio, figure.value > 0
        else { return nil }
        return limit / figure.value * ratio
    }
}
