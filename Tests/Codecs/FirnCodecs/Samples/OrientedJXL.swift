#if JPEGXL
import FirnCodecs
import FirnImage
import FoundationEssentials

/// Writes an orientation into the header of animations of the encoder.
///
/// - Source: JPEG XL (ISO/IEC 18181-1) §D.2 (size), §D.3 (metadata). Bits are stored lowest first.
enum OrientedJXL {
    /// The header has no field for an orientation.
    struct MissingField: Error {}

    static func data(_ frames: [Bitmap], orientation: Int) throws -> Data {
        let session = try JXLEncoder(lossless: true).makeAnimation(size: frames[0].size, repetitions: .forever)
        for frame in frames { try session.append(frame, duration: .milliseconds(40)) }
        var bytes = [UInt8](try session.finish())
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: [0xFF, 0x0A]) }) else {
            throw MissingField()
        }
        var bit = start * 8 + 16
        func read(_ count: Int) -> Int {
            defer { bit += count }
            return (bit..<bit + count).reversed().reduce(0) { (value: Int, at: Int) -> Int in
                let one = bytes[at / 8] >> (at % 8) & 1
                return value << 1 | Int(one)
            }
        }
        let isSmall = read(1) == 1
        func skipSide() { _ = isSmall ? read(5) : read([9, 13, 18, 30][read(2)]) }
        skipSide()
        if read(3) == 0 { skipSide() }
        // The metadata are not the default ones, and have the fields of which the orientation is the first.
        guard read(1) == 0, read(1) == 1 else { throw MissingField() }
        for index in 0..<3 {
            let place = bit + index
            bytes[place / 8] &= ~(1 << (place % 8))
            bytes[place / 8] |= UInt8((orientation - 1) >> index & 1) << (place % 8)
        }
        return Data(bytes)
    }
}
#endif
