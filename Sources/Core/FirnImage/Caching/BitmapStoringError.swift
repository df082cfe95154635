/// A failure of a bitmap store, such as a full or failing disk.
package struct BitmapStoringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path and the system's reason, in one line.
    package let message: String
    /// The system's error number; `nil` if the system reported none.
    package let code: Int32?

    /// Creates an error.
    package init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }

    /// The message.
    package var description: String { message }
}
