/// Recognizes secrets by name and by form.
enum SecretWords {
    /// Returns whether a name, or a word in it, names a secret: `access_token`, `apiKey`, `X-Amz-Signature`, `sig`.
    static func isSecret(_ name: String) -> Bool {
        let words = words(of: name)
        let whole = words.joined()
        if vendors.contains(where: { whole.hasPrefix($0) }) { return true }
        return words.contains { short.contains($0) } || long.contains { whole.contains($0) } || whole.hasSuffix("key")
    }

    /// Returns whether a value is too long and too mixed to be a word, number or name: at least 20 hexadecimal digits,
    /// or digits and letters of both cases.
    static func isRandom(_ value: String) -> Bool {
        let letters = value.unicodeScalars.filter { !"-_.~+/=".unicodeScalars.contains($0) }
        guard letters.count >= 20, letters.allSatisfy({ kind($0) != nil }) else { return false }
        let digits = letters.count { kind($0) == .digit }
        guard digits > 0, digits < letters.count else { return false }
        if letters.allSatisfy(\.properties.isASCIIHexDigit) { return true }
        let changes = zip(letters, letters.dropFirst()).count { kind($0) != kind($1) }
        return changes * 3 >= letters.count
    }

    /// The prefixes that all fields of signed addresses share.
    private static let vendors = ["xamz", "xgoog", "xoss", "xcos"]
    private static let short: Set<String> = [
        "auth", "code", "hmac", "jwt", "key", "mac", "otp", "pass", "pin", "policy", "pwd", "sid", "sig", "ticket",
    ]
    private static let long = [
        "accesskey", "apikey", "authoriz", "bearer", "cookie", "credential", "passphrase", "passw", "secret", "session",
        "signature", "token",
    ]

    private enum Kind { case digit, upper, lower }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind? {
        switch scalar {
        case "0"..."9": .digit
        case "A"..."Z": .upper
        case "a"..."z": .lower
        default: nil
        }
    }

    /// Returns the words of a name in lower case, split at punctuation and before capitals.
    private static func words(of name: String) -> [String] {
        var words = [""]
        var wasLower = false
        for scalar in name.unicodeScalars {
            guard scalar.properties.isAlphabetic || kind(scalar) == .digit else {
                words.append("")
                continue
            }
            if wasLower, kind(scalar) == .upper { words.append("") }
            wasLower = kind(scalar) == .lower
            words[words.count - 1] += scalar.properties.lowercaseMapping
        }
        return words.filter { !$0.isEmpty }
    }
}
