/// The latency and bandwidth of a line.
package struct LineCondition: Hashable, Sendable {
    /// The name of the condition.
    package let name: String
    /// The time from a request to the first byte of its response.
    package let latency: Duration
    /// The bandwidth that all transfers share; `nil` for no limit.
    package let bitsPerSecond: Int?

    /// Creates a condition.
    package init(_ name: String, latency: Duration, bitsPerSecond: Int?) {
        self.name = name
        self.latency = latency
        self.bitsPerSecond = bitsPerSecond
    }

    /// No delay and no limit.
    package static let full = LineCondition("full speed", latency: .zero, bitsPerSecond: nil)
    /// A phone on LTE at midday.
    package static let phone = LineCondition("phone", latency: .milliseconds(70), bitsPerSecond: 10_000_000)
    /// A phone on a train.
    package static let weak = LineCondition("weak phone", latency: .milliseconds(300), bitsPerSecond: 1_000_000)

    /// All conditions, from fast to slow.
    package static let all = [full, phone, weak]
}
