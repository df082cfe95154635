package import NIOCore

/// Keeps results by name for several servers.
package protocol ObjectStore: Sendable {
    /// Returns the bytes; `nil` if there are none or the store fails.
    func bytes(for name: String) async -> ByteBuffer?
    /// Stores bytes, if the store can.
    func store(_ bytes: ByteBuffer, for name: String) async
}
