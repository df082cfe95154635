#if GTK
import Firn
import FirnReport

/// The result of a jump.
struct JumpReport {
    /// True if every visible cell got its image.
    var isComplete = false
    /// Nanoseconds from the jump until all visible cells showed their images.
    var right: Int64 = 0
    /// The first visible index, and the number of visible cells.
    var first = 0
    var cells = 0
    /// Width and height of a cell.
    var cell = 0
    var deliveries = 0
    var wrong = 0
    /// Nanoseconds of the longest gap between frames.
    var freeze: Int64 = 0
    var peak = 0
    var processor = Duration.zero

    private var json: JSONValue {
        .object([
            ("stopToAllRightMs", isComplete ? .double(rounded(Double(right) / 1e6)) : .null),
            ("longestFreezeMs", .double(rounded(Double(freeze) / 1e6))),
            ("firstCell", .int(first)), ("cells", .int(cells)), ("cell", .int(cell)),
            ("deliveries", .int(deliveries)), ("wrongImages", .int(wrong)),
            ("peakMiB", .double(rounded(Double(peak) / 1_048_576))),
            ("processorMs", .double(rounded(processor / .milliseconds(1)))),
        ])
    }

    /// Writes the report; prints it if there is no file.
    func write(to path: String?) -> Bool { ReportFile.write(json, to: path) }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
#endif
