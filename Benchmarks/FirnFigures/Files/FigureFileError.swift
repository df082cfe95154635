/// An error for a file of the bench that cannot be read or written.
package struct FigureFileError: Error, Equatable, CustomStringConvertible {
    /// The file or folder.
    package let path: String
    /// The cause.
    package let cause: String

    /// Creates an error for one file.
    package init(_ path: String, _ cause: String) {
        self.path = path
        self.cause = cause
    }

    package var description: String { "\(path): \(cause)" }
}
