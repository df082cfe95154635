/// Formats counts with a noun.
package enum CountText {
    /// Returns `1 entry`, `2 entries`.
    package static func text(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
