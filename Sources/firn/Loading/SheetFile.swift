import Firn
import FirnReport

/// Writes the contact sheet of a batch.
enum SheetFile {
    /// Maximum number of cells: few programs open a larger sheet.
    static let most = 400

    /// Draws and writes the sheet. Reports a failure.
    static func write(_ cells: [ContactSheet.Cell], of count: Int, totals: LoadTotals, to path: String) -> Bool {
        guard !cells.isEmpty else { return true }
        var title = "\(totals.loaded) images"
        if totals.failed > 0 { title += ", \(totals.failed) failed" }
        if cells.count < count { title += " (the first \(cells.count) are shown)" }
        do {
            let page = try ContactSheet(title: title, cells: cells).draw()
            let format = OutputFormat(path: path) ?? .png
            try OutputFile.write(OutputEncoding.data(page, as: format.format, quality: nil), to: path)
            return true
        } catch let error as DataFileError {
            StandardError.line("firn: \(error.path): cannot write the sheet: \(error.reason)")
        } catch {
            StandardError.line("firn: \(path): cannot write the sheet: \(error)")
        }
        return false
    }
}
