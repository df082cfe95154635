/// A file of the bench that cannot be read or written, and why.
package struct FigureFileError: Error, Equatable, CustomStringConvertible {
    /// The file or folder.
    package let path: String
    /// What is wrong with it.
    package let cause: String

    /// An error about one file.
    package init(_ path: String, _ cause: String) {
        self.path = path
        self.cause = cause
    }

    package var description: String { "\(path): \(cause)" }
}
