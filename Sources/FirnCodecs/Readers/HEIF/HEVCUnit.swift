/// The kinds of NAL units, as far as they matter here.
///
/// - Source: ITU-T H.265 table 7-1.
enum HEVCUnit: Equatable {
    /// A part of an image; decoding may begin with those that are random access points.
    case slice(isRandomAccess: Bool)
    case sequenceParameters
    /// A video or image parameter set, or the end of a stream.
    case control
    /// What decoding does without: messages, delimiters, filler.
    case other

    /// The kind that the first byte of a unit tells.
    init(first byte: UInt8) {
        switch byte >> 1 & 63 {
        case let type where type < 32: self = .slice(isRandomAccess: (16...21).contains(type))
        case 33: self = .sequenceParameters
        case 32, 34, 36, 37: self = .control
        default: self = .other
        }
    }

}
