/// Keeps decoded pictures in memory.
///
/// All calls return quickly and may be made on any thread; a hit is answered on the caller's.
public protocol ImageCaching: Sendable {
    /// The picture of a key; setting keeps a picture, setting `nil` removes it.
    ///
    /// A cache may let go of any picture at any time, and may refuse to keep one.
    subscript(key: ImageCacheKey) -> ImageContainer? { get nonmutating set }

    /// Removes every picture.
    func removeAll()
}

/// Names a decoded picture: a string whose hash is computed once.
///
/// A key is made once for a request and looked up several times; the hash of a long address costs more than the lookup.
public struct ImageCacheKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let string: String
    /// The name's hash, for this process only.
    public let number: Int

    /// A key of this name.
    public init(_ string: String) {
        self.string = string
        // Seeded anew in every process, so that addresses cannot be chosen to collide.
        number = string.hashValue
    }

    /// A key of this name.
    public init(stringLiteral name: String) { self.init(name) }

    /// Whether both name the same picture.
    @inlinable
    public static func == (a: ImageCacheKey, b: ImageCacheKey) -> Bool {
        a.number == b.number && a.string == b.string
    }

    /// Feeds the number computed by ``init(_:)``.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The name.
    public var description: String { string }
}
