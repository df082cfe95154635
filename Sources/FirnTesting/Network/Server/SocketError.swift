import FirnSystem

/// A socket that could not be had.
public struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call that failed.
    public let call: String
    /// The system's error number.
    public let code: Int32

    /// `CALL: what the system says`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
