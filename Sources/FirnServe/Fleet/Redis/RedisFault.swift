/// Why Redis gave no reply that can be used. The caller then does without.
package enum RedisFault: String, Error, Sendable, CaseIterable {
    /// No connection, or none for now after earlier faults.
    case unavailable
    /// No reply in time.
    case late
    /// Something that is not Redis's protocol.
    case malformed
    /// An error as a reply: no memory, a replica, a cluster that is down, or a command that it does not know.
    case refused
    /// Too many redirections in a cluster.
    case lost
}
