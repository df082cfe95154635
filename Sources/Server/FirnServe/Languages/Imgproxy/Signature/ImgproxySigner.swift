import FirnDigest

/// Makes and checks signatures of paths.
///
/// A signature is base64url without padding of the first bytes of HMAC-SHA256(key, salt + path).
package struct ImgproxySigner: Sendable {
    private let settings: ImgproxySettings
    package init(settings: ImgproxySettings) { self.settings = settings }

    private var size: Int { min(max(settings.signatureSize, 1), 32) }

    /// Returns the signature of `path`, which starts with `/`, with the first pair; nil without keys.
    func sign(path: String) -> String? {
        settings.keyPairs.first.map { String(decoding: signature(Array(path.utf8), pair: $0), as: UTF8.self) }
    }

    /// Returns the signed path: `/signature/path`.
    package func signed(path: String) -> String? { sign(path: path).map { "/" + $0 + path } }

    /// Checks `signature` against the repaired path. Only the canonical spelling of a signature is accepted.
    /// - Throws: 403 if no pair made the signature and it is not trusted.
    /// - Complexity: O(path); the time does not depend on where signatures differ.
    func check(_ signature: ArraySlice<UInt8>, path: [UInt8]) throws(ServeError) {
        if settings.trustedSignatures.contains(where: { ImgproxySigner.isEqual(signature, $0.utf8) }) { return }
        if settings.keyPairs.isEmpty {
            if settings.isInsecure, !signature.contains(UInt8(ascii: ":")) { return }
            throw ServeError(403, "signature: not accepted")
        }
        // The length is public, so other lengths need no HMAC.
        guard signature.count == (size * 8 + 5) / 6 else { throw ServeError(403, "signature: wrong length") }
        // Tries all pairs, so that the time does not reveal which one matches.
        let matches = settings.keyPairs.count { ImgproxySigner.isEqual(signature, self.signature(path, pair: $0)) }
        guard matches > 0 else { throw ServeError(403, "signature: does not match") }
    }

    private func signature(_ path: [UInt8], pair: ImgproxyKeyPair) -> [UInt8] {
        ImgproxyText.base64URL(SHA256.code(of: pair.salt + path, key: pair.key).prefix(size))
    }

    /// Compares a secret with the expected one, in a time that does not depend on where they differ.
    static func isEqual(_ given: some Sequence<UInt8>, _ expected: some Sequence<UInt8>) -> Bool {
        SHA256.isEqual(SHA256.hash(given), SHA256.hash(expected))
    }
}

package struct ImgproxyKeyPair: Sendable, Equatable {
    var key: [UInt8]
    /// The bytes that precede the path in the signed message.
    var salt: [UInt8]

    /// Creates the pair from hexadecimal text. Returns nil for odd lengths, other characters and an empty key.
    init?(hexKey: String, hexSalt: String) {
        guard let key = [UInt8](hexadecimal: hexKey), let salt = [UInt8](hexadecimal: hexSalt), !key.isEmpty else {
            return nil
        }
        (self.key, self.salt) = (key, salt)
    }

    /// Creates pairs from comma-separated lists of equal length. Returns nil if any entry is invalid.
    package static func pairs(hexKeys: String, hexSalts: String) -> [ImgproxyKeyPair]? {
        let keys = hexKeys.split(separator: ",", omittingEmptySubsequences: false)
        let salts = hexSalts.split(separator: ",", omittingEmptySubsequences: false)
        let pairs = zip(keys, salts).compactMap { ImgproxyKeyPair(hexKey: String($0), hexSalt: String($1)) }
        return pairs.count == keys.count && pairs.count == salts.count ? pairs : nil
    }
}
