#if GTK
import CGTK4
import Firn

/// Texts of months.
enum MonthText {
    /// The name of a month and its year, such as `July 2026`.
    ///
    /// - Parameter month: months since the year 0.
    static func title(_ month: Int) -> String {
        guard let date = g_date_time_new_utc(gint(clamping: month / 12), gint(clamping: month % 12 + 1), 1, 0, 0, 0)
        else { return tr("Unknown date") }
        defer { g_date_time_unref(date) }
        return text(date, "%OB %Y")
    }

    /// A time of the local time as the user's language writes it.
    static func moment(_ seconds: Int64) -> String {
        guard let date = g_date_time_new_from_unix_utc(gint64(seconds)) else { return "" }
        defer { g_date_time_unref(date) }
        return text(date, "%x %X")
    }

    private static func text(_ date: OpaquePointer, _ format: String) -> String {
        guard let text = g_date_time_format(date, format) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}

/// Failures in words that are translated.
enum FailureText {
    /// Says why an image is not shown, in one line.
    static func line(_ error: ImageLoadingError) -> String {
        switch error.fault {
        case .source:
            if let status = error.status {
                return status == 404 ? tr("Not found") : tr("The server responded with %1", String(status))
            }
            return tr("Cannot be read")
        case .data: return tr("Damaged, or no image")
        case .unsupported: return tr("Format not supported")
        case .limit: return tr("Too large")
        case .request, .cancelled, .pipeline: return tr("Cannot be shown")
        }
    }
}
#endif
