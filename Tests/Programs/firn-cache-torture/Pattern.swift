import FoundationEssentials

/// Bodies that identify themselves and show whether they are complete.
///
/// The first 8 bytes are the body's number. The length follows from the number and the key, and every byte from all
/// three.
enum Pattern {
    static func body(_ key: Int, _ number: UInt64) -> Data {
        var state = (UInt64(key) &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ number
        let count = Int(next(&state) % 60_000)
        var bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
        bytes.reserveCapacity(count + 16)
        while bytes.count < count { withUnsafeBytes(of: next(&state)) { bytes.append(contentsOf: $0) } }
        return Data(bytes)
    }

    static func isRight(_ data: Data, _ key: Int) -> Bool {
        guard data.count >= 8 else { return false }
        let number = data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        return data == body(key, number)
    }

    static func next(_ state: inout UInt64) -> UInt64 {
        if state == 0 { state = 1 }
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }
}
