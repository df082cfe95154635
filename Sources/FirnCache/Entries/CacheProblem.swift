/// A file in a cache's directory that is not a whole entry.
package struct CacheProblem: Hashable, Sendable, CustomStringConvertible {
    /// The file.
    package var path: String
    /// What is wrong with it, in a few words.
    package var reason: String
    /// Whether it was removed.
    package var isRemoved: Bool

    /// `PATH: reason`.
    package var description: String { "\(path): \(reason)" }
}
