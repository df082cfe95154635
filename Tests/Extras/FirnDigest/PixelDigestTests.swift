import FirnData
import FirnDigest
import Testing

@Suite struct PixelDigestTests {
    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 200])
    func `the hash does not depend on how its bytes are cut`(count: Int) {
        let bytes = (0..<count).map { UInt8($0 & 255) }
        let whole = SHA256()
        bytes.withUnsafeBytes { whole.update($0) }
        let parts = SHA256()
        for byte in bytes { withUnsafeBytes(of: byte) { parts.update($0) } }
        #expect(whole.digest() == parts.digest())
    }

    @Test func `the hashes of the standard's examples are right`() {
        #expect(SHA256().digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let abc = SHA256()
        Array("abc".utf8).withUnsafeBytes { abc.update($0) }
        #expect(abc.digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// The cases 1, 2 and 6 of RFC 4231, and a key of no bytes.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `codes with a key are those of the standard`(key: [UInt8], message: String, code: String) {
        #expect(SHA256.code(of: message.utf8, key: key).hexadecimal == code)
    }
}
