package import NIOCore

/// A value of Redis's protocol, versions 2 and 3.
///
/// Source: Redis serialization protocol specification.
package enum RESPValue: Sendable, Equatable {
    /// A short text; also doubles and big numbers, as they were sent.
    case text(String)
    case error(String)
    case number(Int)
    case bytes(ByteBuffer)
    case null
    /// An array, a set, or the keys and values of a map in turn.
    case list([RESPValue])
    /// A message that is no reply.
    case push([RESPValue])

    /// The text of a text or of bytes.
    var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(buffer: bytes)
        default: nil
        }
    }
}

/// What a server sent is not Redis's protocol, or has more bytes or levels than are accepted.
package struct RESPError: Error, Equatable {
    package let message: String
}
