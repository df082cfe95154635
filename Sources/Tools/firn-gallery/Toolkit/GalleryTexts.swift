#if GTK
import CFirnAdwaita
import Firn
import FirnReport
import FirnSystem
import FoundationEssentials

/// Strings from GLib.
enum GLibText {
    /// Copies and frees a string; `nil` for a null pointer.
    static func string(freeing text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Copies and frees a path, which may not be UTF-8; `nil` for a null pointer.
    static func path(freeing path: UnsafeMutablePointer<CChar>?) -> String? {
        guard let path else { return nil }
        defer { g_free(path) }
        return SystemPath.text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// Formats and releases a date; `nil` for a null pointer.
    static func string(freeing date: OpaquePointer?, format: String) -> String? {
        guard let date else { return nil }
        defer { g_date_time_unref(date) }
        return string(freeing: g_date_time_format(date, format))
    }
}

/// Numbers in the user's locale.
enum LocalNumber {
    /// Returns a number rounded to some decimals.
    static func text(_ value: Double, decimals: Int) -> String {
        let text = FixedText.text(value, decimals: decimals)
        guard let point = localeconv()?.pointee.decimal_point else { return text }
        return text.replacing(".", with: String(cString: point))
    }

    /// Returns a number of bytes with its unit.
    static func bytes(_ count: Int) -> String { GLibText.string(freeing: g_format_size(guint64(max(0, count)))) ?? "" }
}

/// Local times as seconds since 1970, without a time zone: dates are computed from them by arithmetic alone.
enum LocalTime {
    /// Converts seconds since 1970.
    static func seconds(_ time: Int64) -> Int64 {
        var (clock, parts) = (time_t(time), tm())
        localtime_r(&clock, &parts)
        return time &+ Int64(parts.tm_gmtoff)
    }

    /// Converts the parts of a time; `nil` without year, month and day.
    static func seconds(_ parts: DateComponents) -> Int64? {
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        var date = tm(
            tm_sec: Int32(clamping: parts.second ?? 0), tm_min: Int32(clamping: parts.minute ?? 0),
            tm_hour: Int32(clamping: parts.hour ?? 0), tm_mday: Int32(clamping: day),
            tm_mon: Int32(clamping: month - 1), tm_year: Int32(clamping: year - 1900), tm_wday: 0, tm_yday: 0,
            tm_isdst: 0, tm_gmtoff: 0, tm_zone: nil)
        return Int64(timegm(&date))
    }

    /// The year and the month, from 1 on, as one number that grows with time.
    static func month(_ seconds: Int64) -> Int {
        var (clock, parts) = (time_t(seconds), tm())
        gmtime_r(&clock, &parts)
        return (Int(parts.tm_year) + 1900) * 12 + Int(parts.tm_mon)
    }
}

/// Dates as text.
enum MonthText {
    /// The name of a month and its year, such as `July 2026`.
    ///
    /// - Parameter month: months since the year 0.
    static func title(_ month: Int) -> String {
        let date = g_date_time_new_utc(gint(clamping: month / 12), gint(clamping: month % 12 + 1), 1, 0, 0, 0)
        return GLibText.string(freeing: date, format: "%OB %Y") ?? tr("Unknown date")
    }

    /// A local time in the user's locale.
    static func moment(_ seconds: Int64) -> String {
        GLibText.string(freeing: g_date_time_new_from_unix_utc(gint64(seconds)), format: "%x %X") ?? ""
    }

    /// A time of a photograph in the user's locale, without its time zone; `nil` for times that do not exist.
    static func moment(_ time: DateComponents) -> String? { LocalTime.seconds(time).map { moment($0) } }
}

/// Translated descriptions of failures.
enum FailureText {
    /// Returns the reason of a failure in one line.
    static func line(_ error: ImageLoadingError) -> String {
        switch error.fault {
        case .source:
            if let status = error.statusCode {
                return status == 404 ? tr("Not found") : tr("The server responded with %1", String(status))
            }
            return source(error.underlying)
        case .data: return tr("Damaged, or no image")
        case .unsupported: return tr("Format not supported")
        case .limit: return tr("Too large")
        case .request, .cancelled, .pipeline: return tr("Cannot be shown")
        }
    }

    /// Returns the reason why a source gave no bytes.
    private static func source(_ error: (any Error)?) -> String {
        if let file = (error as? ImageError)?.underlying as? DataFileError { return reason(file.code) }
        guard let error = error as? DataLoadingError else { return tr("Cannot be read") }
        func has(_ words: String) -> Bool { error.cause == .connection && error.message.contains(words) }
        if error.cause == .timeout { return tr("The server did not respond in time") }
        if error.cause == .insecure { return tr("No secure connection to the server") }
        if error.cause == .truncated || has("closed the connection") { return tr("The connection was cut") }
        if has("unknown host") { return tr("Unknown host") }
        if has("connection refused") { return tr("The server refused the connection") }
        return error.cause == .connection ? tr("No connection to the server") : tr("Cannot be read")
    }

    /// Returns the reason of a failed call of the system, in the user's language.
    static func reason(_ code: Int32) -> String { code > 0 ? String(cString: strerror(code)) : tr("Cannot be read") }

    /// Returns the numbers of files that are not shown, in one line; empty if there are none.
    static func line(_ files: LeftOutFiles) -> String {
        guard files.count > 0 else { return "" }
        let parts = [
            (files.empty, tr("%1 empty")), (files.unreadable, tr("%1 unreadable")),
            (files.unknown, tr("%1 of another kind")),
        ]
        let words = parts.filter { $0.0 > 0 }.map { fill($1, [String($0)]) }.joined(separator: ", ")
        return "\(tr("%1 file left out", "%1 files left out", count: files.count)) (\(words))"
    }
}

/// Translations by gettext.
enum Translation {
    static let domain = "firn-gallery"

    /// Sets up translations from `share/locale` beside the folder of the program. Call before GTK starts.
    static func start() {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let root = PathText.parent(PathText.parent(program ?? ""))
        bindtextdomain(domain, PathText.join(root, "share/locale"))
        bind_textdomain_codeset(domain, "UTF-8")
    }
}

/// Translates a text and replaces `%1`, `%2`, … by values.
func tr(_ text: String, _ values: String...) -> String {
    fill(text.withCString { String(cString: g_dgettext(Translation.domain, $0)) }, values)
}

/// Translates a text in singular or plural, and replaces `%1` by the count.
func tr(_ one: String, _ other: String, count: Int) -> String {
    let text = one.withCString { one in
        other.withCString { String(cString: g_dngettext(Translation.domain, one, $0, gulong(max(0, count)))) }
    }
    return fill(text, [String(count)])
}

private func fill(_ text: String, _ values: [String]) -> String {
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { filled, part in
        let index = part.first.flatMap(\.wholeNumberValue).map { $0 - 1 } ?? -1
        filled += values.indices.contains(index) ? values[index] + part.dropFirst() : "%" + part
    }
}
#endif
