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
    /// The highest value, or ratio, that is asked for.
    let limit: Limit?

    enum Limit: Sendable {
        case value(Double)
        case ratio(Double)
    }

    var isMet: Bool {
        switch limit {
        case .value(let limit): value <= limit
        case .ratio(let limit): ratio <= limit
        case nil: true
        }
    }

    /// The limit as a ratio to the peer.
    var ratioLimit: Double? {
        switch limit {
        case .value(let limit): value > 0 ? limit / value * ratio : nil
        case .ratio(let limit): limit
        case nil: nil
        }
    }
}
