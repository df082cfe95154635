/// The key of a decoded image: a string whose hash is computed once.
///
/// A request creates its key once and uses it for several lookups, because hashing a long URL costs more than a lookup.
///
/// Keys of the same image at several sizes form a family: their names start with the family's name. Only keys of
/// unprocessed images have a family.
public struct ImageCacheKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let string: String
    /// The hash of the name, which differs between processes.
    public let number: Int
    /// The hash of the family's name.
    package let familyNumber: Int
    /// The length of the family's name at the start of `string`, in bytes; 0 if there is no family.
    package let familyLength: Int

    /// Returns an equal key with its own copy of the name, so that retaining this key's name does not write to the
    /// memory that lookups compare.
    package func detached() -> ImageCacheKey {
        ImageCacheKey(
            string: String(decoding: Array(string.utf8), as: UTF8.self), number: number, familyNumber: familyNumber,
            familyLength: familyLength)
    }

    /// Returns whether both keys name the same image at any size.
    public func isRelative(of other: ImageCacheKey) -> Bool {
        familyLength > 0 && familyLength == other.familyLength && familyNumber == other.familyNumber
            && string.utf8.prefix(familyLength).elementsEqual(other.string.utf8.prefix(familyLength))
    }

    /// The name of the family; `nil` if there is none.
    package var family: String? {
        familyLength > 0 ? String(decoding: string.utf8.prefix(familyLength), as: UTF8.self) : nil
    }

    /// Returns whether both keys have the same name.
    @inlinable
    public static func == (a: ImageCacheKey, b: ImageCacheKey) -> Bool {
        a.number == b.number && a.string == b.string
    }

    /// Adds the precomputed hash.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The name.
    public var description: String { string }
}

extension ImageCacheKey {
    /// Creates a key without a family.
    public init(_ string: String) {
        // The hash seed differs per process, so an attacker cannot choose URLs that collide.
        self.init(string: string, number: string.hashValue, familyNumber: 0, familyLength: 0)
    }

    /// Creates the key of an unprocessed image at one size.
    ///
    /// - Parameters:
    ///   - family: a name for everything except the size: source and pixel format.
    ///   - size: a name for the size; empty for the image's own size.
    public init(family: String, size: String) {
        string = size.isEmpty ? family : family + size
        number = string.hashValue
        familyNumber = size.isEmpty ? number : family.hashValue
        familyLength = family.utf8.count
    }

    /// Creates the key of an unprocessed image at its own size.
    ///
    /// - Parameter hash: the hash of the family's name.
    package init(family: String, hash: Int) {
        self.init(string: family, number: hash, familyNumber: hash, familyLength: family.utf8.count)
    }

    /// Creates a key without a family.
    public init(stringLiteral name: String) { self.init(name) }
}

/// Escapes text from programs and sources for use in a key, so that different lists of parts give different keys.
///
/// Escapes start with U+0001, which hardly any text contains: other text, and with it the keys of entries on disk, is
/// unchanged.
package enum KeyText {
    /// The start of an escape. The next character is the code of the escaped character.
    private static let escape: UInt8 = 1
    /// The characters that are escaped. The code of each is its index as a digit.
    private static let codes = [escape] + Array("|\n[]:".utf8)
    /// Precedes text that would otherwise be mistaken for another kind of part.
    package static let mark = "\u{1}6"

    /// Returns text without separators. Different texts give different results.
    ///
    /// - Parameter separators: the characters between parts: `|`, line feed, `[`, `]` or `:`.
    package static func escaped(_ text: String, _ separators: StaticString = "|") -> String {
        guard text.utf8.contains(where: { isSeparator($0, separators) }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isSeparator(byte, separators), let code = codes.firstIndex(of: byte) {
                bytes += [escape, UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: code)]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @inline(__always)
    private static func isSeparator(_ byte: UInt8, _ separators: StaticString) -> Bool {
        if byte == escape { return true }
        return separators.withUTF8Buffer { $0.contains(byte) }
    }
}
