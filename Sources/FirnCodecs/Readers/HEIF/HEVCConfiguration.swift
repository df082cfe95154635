/// What a track's sample entry says of its HEVC stream: the parameter sets, and how units stand in samples.
///
/// - Source: ISO/IEC 14496-15 §8.3.2.1.
struct HEVCConfiguration {
    /// Most parameter sets that are kept.
    private static let most = 64

    /// Bytes of the length before each NAL unit of a sample: 1, 2 or 4.
    let lengthBytes: Int
    /// NAL units that come before the first sample.
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

    /// The first sequence parameter set that can be read.
    var parameters: HEVCParameters? {
        for unit in units where HEVCUnit(first: unit[0]) == .sequenceParameters {
            if let parameters = HEVCParameters(unit: unit) { return parameters }
        }
        return nil
    }
}
