#if GTK
import CFirnAdwaita
import Firn
import FoundationEssentials

/// Strings from GLib.
enum GLibText {
    /// Converts and frees a string of GLib; `nil` if there is none.
    static func string(owning text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Formats and frees a date; `nil` if there is none.
    static func string(owning date: OpaquePointer?, _ format: String) -> String? {
        guard let date else { return nil }
        defer { g_date_time_unref(date) }
        return string(owning: g_date_time_format(date, format))
    }
}

/// Texts of months.
enum MonthText {
    /// The name of a month and its year, such as `July 2026`.
    ///
    /// - Parameter month: months since the year 0.
    static func title(_ month: Int) -> String {
        let date = g_date_time_new_utc(gint(clamping: month / 12), gint(clamping: month % 12 + 1), 1, 0, 0, 0)
        return GLibText.string(owning: date, "%OB %Y") ?? tr("Unknown date")
    }

    /// Formats a local time in the user's language.
    static func moment(_ seconds: Int64) -> String {
        GLibText.string(owning: g_date_time_new_from_unix_utc(gint64(seconds)), "%x %X") ?? ""
    }
}

/// Translated error messages.
enum FailureText {
    /// Returns why an image is not shown, in one line.
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

/// The translations of the gallery's texts, by gettext.
enum Translation {
    static let domain = "firn-gallery"

    /// Loads translations from `share/locale` beside the folder of the program. Call it before GTK starts.
    static func start() {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let root = PathText.parent(PathText.parent(program ?? ""))
        bindtextdomain(domain, PathText.join(root, "share/locale"))
        bind_textdomain_codeset(domain, "UTF-8")
    }
}

/// Returns the translation of a text, with the values in place of `%1`, `%2`, …
func tr(_ text: String, _ values: String...) -> String {
    fill(text.withCString { String(cString: g_dgettext(Translation.domain, $0)) }, values)
}

/// Returns the translation of a text with a number, which replaces `%1`.
func tr(_ one: String, _ other: String, count: Int) -> String {
    let text = one.withCString { one in
        other.withCString { String(cString: g_dngettext(Translation.domain, one, $0, gulong(max(0, count)))) }
    }
    return fill(text, [String(count)])
}

private func fill(_ text: String, _ values: [String]) -> String {
    guard !values.isEmpty else { return text }
    var parts = text.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() {
        let number = parts[index].first.flatMap(\.wholeNumberValue).map { $0 - 1 }
        if let number, values.indices.contains(number) {
            parts[index] = values[number] + parts[index].dropFirst()
        } else {
            parts[index] = "%" + parts[index]
        }
    }
    return parts.joined()
}
#endif
