/// The HEVC configuration in a track's sample entry: the parameter sets, and the format of units in samples.
///
/// - Source: ISO/IEC 14496-15 §8.3.2.1.
struct HEVCConfiguration {
    /// The limit of stored parameter sets.
    private static let most = 64

    /// The bytes of the length before each NAL unit of a sample: 1, 2 or 4.
    let lengthBytes: Int
    /// The NAL units that precede the first sample.
    private(set) var units: [[UInt8]] = []

    init?(_ box: ISOBox, of chain: ByteChain) {
        guard var fields = box.fields(of: chain), fields.number(1) == 1 else { return nil }
        fields.skip(20)
        guard let lengths = fields.number(1), let arrays = fields.number(1) else { return nil }
        lengthBytes = lengths & 3 + 1
        for _ in 0..<arrays {
            guard fields.number(1) != nil, let count = fields.number(2) else { return nil }
            for _ in 0..<count {
                guard let length = fields.number(2), let unit = fields.take(length) else { return nil }
                if units.count < HEVCConfiguration.most, !unit.isEmpty { units.append(unit) }
            }
        }
    }

    /// The first sequence parameter set that can be parsed.
    var parameters: HEVCParameters? {
        units.lazy.filter { HEVCUnit(first: $0[0]) == .sequenceParameters }
            .compactMap { HEVCParameters(unit: $0) }.first
    }
}
