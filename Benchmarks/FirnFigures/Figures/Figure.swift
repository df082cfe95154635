/// One measured figure and the peer that it is compared with.
package struct Figure: Sendable, Equatable {
    /// A stable name, as in the files: the part of the bench, a point, what is measured.
    package let name: String
    /// The measured value: a median of several rounds.
    package let value: Double
    /// The unit of both values.
    package let unit: String
    /// The name of the peer; `nil` for a figure without one.
    package let peer: String?
    /// The peer's value.
    package let peerValue: Double?
    /// The value divided by the peer's, or the median of the rounds' ratios. `nil` if there is no peer, or if the
    /// peer's value is 0 and ours is not.
    package let ratio: Double?
    /// A short remark.
    package let note: String

    /// Creates a figure with or without a peer.
    ///
    /// - Parameter ratio: the ratio, if it is not the quotient of the two values.
    package init(
        name: String, value: Double, unit: String, peer: String? = nil, peerValue: Double? = nil, ratio: Double? = nil,
        note: String = ""
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.peer = peer
        self.peerValue = peerValue
        self.note = note
        self.ratio = (ratio ?? peerValue.flatMap { Figure.ratio(value, $0) }).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The part of the bench: the name up to the first point.
    package var part: String { String(name.prefix { $0 != "." }) }

    /// If both values are 0, the ratio is 1.
    private static func ratio(_ value: Double, _ other: Double) -> Double? {
        if other > 0 { return value / other }
        return value == 0 && other == 0 ? 1 : nil
    }
}

extension Figure: Decodable {
    private enum Key: String, CodingKey {
        case name, value, unit, peer, peerValue, ratio, note
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        // JSON has null for infinity and "not a number"; both are read as infinity, which is worse than any limit.
        self.init(
            name: try fields.decode(String.self, forKey: .name),
            value: try fields.decodeIfPresent(Double.self, forKey: .value) ?? .infinity,
            unit: try fields.decode(String.self, forKey: .unit),
            peer: try fields.decodeIfPresent(String.self, forKey: .peer),
            peerValue: try fields.decodeIfPresent(Double.self, forKey: .peerValue),
            ratio: try fields.decodeIfPresent(Double.self, forKey: .ratio),
            note: try fields.decodeIfPresent(String.self, forKey: .note) ?? "")
    }
}
