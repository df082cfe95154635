import FirnSystem

/// An error of a socket call.
public struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call that failed.
    public let call: String
    /// The system's error number.
    public let code: Int32

    /// `CALL: the system's description`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
