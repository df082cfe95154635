/// The kinds of NAL units that the reader distinguishes.
///
/// - Source: ITU-T H.265 table 7-1.
enum HEVCUnit: Equatable {
    /// A part of an image; decoding may start at a random access point.
    case slice(isRandomAccess: Bool)
    case sequenceParameters
    /// A video or image parameter set, or the end of a stream.
    case control
    /// Units that decoding does not need: messages, delimiters, filler.
    case other

    /// Returns the kind that the first byte of a unit states.
    init(first byte: UInt8) {
        switch byte >> 1 & 63 {
        case let type where type < 32: self = .slice(isRandomAccess: (16...21).contains(type))
        case 33: self = .sequenceParameters
        case 32, 34, 36, 37: self = .control
        default: self = .other
        }
    }

}
