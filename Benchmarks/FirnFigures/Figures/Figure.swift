/// One measured figure, beside what it is measured against.
package struct Figure: Sendable, Equatable {
    /// Stable name, as in the files: the part of the bench, a point, what is measured.
    package let name: String
    /// What was measured: a median of several rounds.
    package let value: Double
    /// The unit of both values.
    package let unit: String
    /// What it is measured against; `nil` for a figure that stands for itself.
    package let peer: String?
    /// The peer's value.
    package let peerValue: Double?
    /// The value divided by the peer's, or the median of the rounds' ratios; `nil` without a peer, and where the peer has nothing
    /// and we have something.
    package let ratio: Double?
    /// What else is to be known, in a few words.
    package let note: String

    /// A figure beside its peer, or without one.
    ///
    /// - Parameter ratio: the ratio, where it is not simply that of the two values.
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

    /// The part of the bench that it belongs to: its name up to the first point.
    package var part: String { String(name.prefix { $0 != "." }) }

    /// Nothing against nothing is as good.
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
        // Infinity and "not a number" are null in JSON; who reads them gets what is worse than any limit.
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
