import FirnData
import Testing

/// Compares with the numbers of the reference implementation.
@Suite struct XXH64Tests {
    @Test(
        arguments: [
            ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B), ("abc", 0, 0x44BC_2CF5_AD77_0999),
            ("message digest", 0, 0x066E_D728_FCEE_B3BE),
            ("abcdefghijklmnopqrstuvwxyz", 0, 0xCFE1_F278_FA89_835C),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0, 0xAAA4_6907_D304_7814),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890", 0,
                0xE04A_477F_19EE_145D
            ),
        ] as [(String, UInt64, UInt64)])
    func `Known inputs have the reference's hashes`(_ input: String, _ seed: UInt64, _ expected: UInt64) {
        #expect(XXH64.hash(input, seed: seed) == expected)
    }

    @Test func `Every length has the same hash at every alignment`() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        for length in 0...100 {
            let expected = Array(bytes[..<length]).withUnsafeBytes { XXH64.hash($0) }
            for shift in 1...8 {
                let moved = [UInt8](repeating: 0, count: shift) + bytes[..<length]
                let found = moved.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[shift...])) }
                #expect(found == expected)
            }
        }
    }
}
