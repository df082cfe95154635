package enum FirnVersion {
    /// Semantic version (semver.org) of this source tree. Printed by the command, sent in requests, contained in
    /// packages.
    package static let current = "0.1.0"
}
