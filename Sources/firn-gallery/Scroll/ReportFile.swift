import FirnReport
import FirnSystem

/// Writes reports.
enum ReportFile {
    /// Writes a report; prints it if there is no file.
    static func write(_ json: JSONValue, to path: String?) -> Bool {
        guard let path else {
            print(json.text)
            return true
        }
        guard let file = fopen(path, "w") else { return false }
        let isWritten = fputs(json.text + "\n", file) >= 0
        return fclose(file) == 0 && isWritten
    }
}
