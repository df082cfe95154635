import FirnReport
import Testing

@Suite struct PixelDigestTests {
    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 200])
    func `the hash does not depend on how its bytes are cut`(count: Int) {
        let bytes = (0..<count).map { UInt8($0 & 255) }
        var whole = SHA256()
        bytes.withUnsafeBytes { whole.update($0) }
        var parts = SHA256()
        for byte in bytes { withUnsafeBytes(of: byte) { parts.update($0) } }
        #expect(whole.digest() == parts.digest())
    }

    @Test func `the hashes of the standard's examples are right`() {
        #expect(SHA256().digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        var abc = SHA256()
        Array("abc".utf8).withUnsafeBytes { abc.update($0) }
        #expect(abc.digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
