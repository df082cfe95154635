import Crypto
import FoundationEssentials

/// SHA-256 digests as text.
enum HexadecimalDigest {
    /// Returns the digest in 64 digits.
    static func text(of data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = SHA256.hash(data: data).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
