/// A file in a cache's directory that is not a whole entry.
public struct CacheProblem: Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// What is wrong with it, in a few words.
    public var reason: String
    /// Whether it was removed.
    public var isRemoved: Bool

    /// `PATH: reason`.
    public var description: String { "\(path): \(reason)" }
}
