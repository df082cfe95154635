package import FirnData

extension DataPriority {
    /// The value of the field `Priority`; `nil` for the default urgency of 3, which is not sent.
    ///
    /// Source: RFC 9218 §4.1. 0 is not used, since it would precede the documents that contain the images.
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
