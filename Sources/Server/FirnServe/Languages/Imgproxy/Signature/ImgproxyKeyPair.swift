import FirnData

/// A key and a salt that sign paths.
package struct ImgproxyKeyPair: Sendable, Equatable {
    /// The key of the HMAC.
    package var key: [UInt8]
    /// The bytes that precede the path in the signed message.
    package var salt: [UInt8]

    package init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Creates the pair from hexadecimal text. Returns nil for odd lengths, other characters and an empty key.
    package init?(hexKey: String, hexSalt: String) {
        guard let key = Self.bytes(hex: hexKey), let salt = Self.bytes(hex: hexSalt), !key.isEmpty else { return nil }
        self.init(key: key, salt: salt)
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

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { PercentEncoding.hexadecimalValue($0) }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
