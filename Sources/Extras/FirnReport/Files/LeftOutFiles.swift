/// Counts the files in folders that are not sources.
package struct LeftOutFiles: Hashable, Sendable, JSONConvertible {
    package var empty = 0
    /// Files of no known format.
    package var unknown = 0
    /// Files and folders that cannot be read.
    package var unreadable = 0

    package init() {}

    package static func += (sum: inout LeftOutFiles, part: LeftOutFiles) {
        sum.empty += part.empty
        sum.unknown += part.unknown
        sum.unreadable += part.unreadable
    }

    package var count: Int { empty + unknown + unreadable }

    /// The counts in words, such as `3 files left out (1 empty, 2 of no known format)`; `nil` if there are none.
    package var text: String? {
        guard count > 0 else { return nil }
        let parts = [
            empty > 0 ? "\(empty) empty" : nil, unknown > 0 ? "\(unknown) of no known format" : nil,
            unreadable > 0 ? "\(unreadable) unreadable" : nil,
        ]
        return
            "\(CountText.text(count, "file", "files")) left out (\(parts.compactMap(\.self).joined(separator: ", ")))"
    }

    package var json: JSONValue { ["empty": empty, "unknown": unknown, "unreadable": unreadable] }
}
