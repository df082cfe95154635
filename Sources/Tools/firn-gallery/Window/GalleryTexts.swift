#if GTK
import CGTK4
import Firn

/// Texts that GLib makes.
enum GLibText {
    /// Takes over a text; `nil` if there is none.
    static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Takes over a date, and returns it in a format; `nil` if there is none.
    static func taken(_ date: OpaquePointer?, _ format: String) -> String? {
        guard let date else { return nil }
        defer { g_date_time_unref(date) }
        return taken(g_date_time_format(date, format))
    }
}

/// Texts of months.
enum MonthText {
    /// The name of a month and its year, such as `July 2026`.
    ///
    /// - Parameter month: months since the year 0.
    static func title(_ month: Int) -> String {
        let date = g_date_time_new_utc(gint(clamping: month / 12), gint(clamping: month % 12 + 1), 1, 0, 0, 0)
        return GLibText.taken(date, "%OB %Y") ?? tr("Unknown date")
    }

    /// A time of the local time as the user's language writes it.
    static func moment(_ seconds: Int64) -> String {
        GLibText.taken(g_date_time_new_from_unix_utc(gint64(seconds)), "%x %X") ?? ""
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
