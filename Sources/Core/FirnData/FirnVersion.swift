package enum FirnVersion {
    /// Semantic version (semver.org) of this source tree. The command prints it, requests send it, packages contain it.
    package static let current = "0.1.0"
}
