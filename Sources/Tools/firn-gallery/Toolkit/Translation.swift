#if GTK
import CFirnAdwaita
import Firn
import FoundationEssentials

/// The translations of the gallery's texts, by gettext.
enum Translation {
    static let domain = "firn-gallery"

    /// Reads translations from `share/locale` beside the folder of the program. Call it before GTK starts.
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

/// Returns the translation of a text with a number, which is its `%1`.
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
