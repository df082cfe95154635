/// Names a decoded image: a string whose hash is computed once.
///
/// A key is made once for a request and looked up several times; the hash of a long address costs more than the lookup.
///
/// Keys of the same image at several sizes are a family: their names begin with the family's name. Only whole images
/// have one, to which nothing was done but to change their size.
public struct ImageCacheKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let string: String
    /// The name's hash, for this process only.
    public let number: Int
    /// The hash of the family's name.
    package let familyNumber: Int
    /// Bytes at the front of `string` that are the family's name; 0 where there is no family.
    package let familyLength: Int

    /// Creates a key of this name, without family.
    public init(_ string: String) {
        self.string = string
        // Seeded anew in every process, so that addresses cannot be chosen to collide.
        number = string.hashValue
        familyNumber = 0
        familyLength = 0
    }

    /// The key of one size of a whole image.
    ///
    /// - Parameters:
    ///   - family: names the image with everything but its size: source and pixel format.
    ///   - size: names the size; empty for the image's own.
    public init(family: String, size: String) {
        string = size.isEmpty ? family : family + size
        number = string.hashValue
        familyNumber = size.isEmpty ? number : family.hashValue
        familyLength = family.utf8.count
    }

    /// The key of a whole image in its own size.
    ///
    /// - Parameter hash: the family name's, where it is known.
    package init(family: String, hash: Int) {
        string = family
        number = hash
        familyNumber = hash
        familyLength = family.utf8.count
    }

    /// Creates a key of this name, without family.
    public init(stringLiteral name: String) { self.init(name) }

    /// Whether both name the same image at some size.
    public func isRelative(of other: ImageCacheKey) -> Bool {
        familyLength > 0 && familyLength == other.familyLength && familyNumber == other.familyNumber
            && string.utf8.prefix(familyLength).elementsEqual(other.string.utf8.prefix(familyLength))
    }

    /// The family's name; `nil` where there is none.
    package var family: String? {
        familyLength > 0 ? String(decoding: string.utf8.prefix(familyLength), as: UTF8.self) : nil
    }

    /// Whether both name the same image.
    @inlinable
    public static func == (a: ImageCacheKey, b: ImageCacheKey) -> Bool {
        a.number == b.number && a.string == b.string
    }

    /// Feeds the number computed when the key was made.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The name.
    public var description: String { string }
}
