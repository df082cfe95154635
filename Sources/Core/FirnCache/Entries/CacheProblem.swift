/// A file in a cache's directory that is not an intact entry.
package struct CacheProblem: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package var path: String
    /// The problem in a few words.
    package var reason: String
    /// True if it was removed.
    package var isRemoved: Bool

    /// `PATH: reason`.
    package var description: String { "\(path): \(reason)" }
}
