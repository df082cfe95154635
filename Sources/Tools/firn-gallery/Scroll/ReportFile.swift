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

extension JSONValue {
    /// A number with one decimal; null if there is none.
    static func tenths(_ value: Double?) -> JSONValue { value.map { .double(($0 * 10).rounded() / 10) } ?? .null }

    /// A duration in milliseconds with one decimal; null if there is none.
    static func milliseconds(_ duration: Duration?) -> JSONValue { tenths(duration.map { $0 / .milliseconds(1) }) }

    /// Bytes in MiB with one decimal.
    static func mebibytes(_ bytes: Int) -> JSONValue { tenths(Double(bytes) / 1_048_576) }
}
#endif
