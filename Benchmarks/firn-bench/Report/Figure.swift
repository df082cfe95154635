/// One measured figure, beside what it is measured against.
struct Figure: Sendable {
    /// Stable name, as in the JSON report.
    let name: String
    let value: Double
    let unit: String
    /// The peer or limit, with its own figure.
    let against: String
    /// `value` divided by the peer's.
    let ratio: Double
    /// The highest ratio, or value, that is asked for; `nil` where none is.
    var limit: Limit?

    enum Limit: Sendable {
        case value(Double)
        case ratio(Double)
    }
}
