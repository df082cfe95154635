#if GTK
import Firn
import FirnReport
import FoundationEssentials

/// Writes reports.
enum ReportFile {
    /// Writes a report; prints it if there is no file. Reports a failure on standard error.
    ///
    /// - Returns: whether it was written.
    static func write(_ json: JSONValue, to path: String?) -> Bool {
        guard let path else {
            print(json.text)
            return true
        }
        do {
            try OutputFile.write(Data((json.text + "\n").utf8), to: path)
            return true
        } catch {
            StandardError.line("firn-gallery: \(error)")
            return false
        }
    }
}
#endif
