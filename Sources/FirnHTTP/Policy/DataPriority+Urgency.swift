package import FirnData

extension DataPriority {
    /// The value of the field `Priority`; `nil` for the default urgency of 3, which is not sent.
    ///
    /// Source: RFC 9218 §4.1. 0 stays free: it would go before the documents that images belong to.
    package var urgency: String? {
        switch self {
        case .veryHigh: "u=1"
        case .high: "u=2"
        case .normal: nil
        case .low: "u=5"
        case .veryLow: "u=6"
        }
    }
}
