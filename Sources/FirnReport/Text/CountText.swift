/// Numbers of things for people.
package enum CountText {
    /// `1 entry`, `2 entries`.
    package static func text(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
