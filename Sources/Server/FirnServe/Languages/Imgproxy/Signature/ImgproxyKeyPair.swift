import FirnData

package struct ImgproxyKeyPair: Sendable, Equatable {
    package var key: [UInt8]
    /// The bytes that precede the path in the signed message.
    package var salt: [UInt8]

    /// Creates the pair from hexadecimal text. Returns nil for odd lengths, other characters and an empty key.
    package init?(hexKey: String, hexSalt: String) {
        guard let key = [UInt8](hexadecimal: hexKey), let salt = [UInt8](hexadecimal: hexSalt), !key.isEmpty else {
            return nil
        }
        (self.key, self.salt) = (key, salt)
    }

    /// Creates pairs from comma-separated lists of equal length. Returns nil if any entry is invalid.
    package static func pairs(hexKeys: String, hexSalts: String) -> [ImgproxyKeyPair]? {
        let keys = hexKeys.split(separator: ",", omittingEmptySubsequences: false)
        let salts = hexSalts.split(separator: ",", omittingEmptySubsequences: false)
        guard keys.count == salts.count else { return nil }
        var pairs: [ImgproxyKeyPair] = []
        for (key, salt) in zip(keys, salts) {
            guard let pair = ImgproxyKeyPair(hexKey: String(key), hexSalt: String(salt)) else { return nil }
            pairs.append(pair)
        }
        return pairs
    }
}
