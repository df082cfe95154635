package import FirnData
import FoundationEssentials

/// A list of sources, which the user writes as `@list.txt`.
package enum ListFile {
    /// Maximum length of a list that is no file, in bytes.
    private static let longest = 1 << 30

    /// Returns the descriptor that a list is read from: 0 for `-`; `nil` for files and pipes.
    package static func descriptor(_ path: String) -> Int32? { path == "-" ? 0 : StreamInput.descriptor(path) }

    /// Reads a list: a source a line, or after each NUL if it has one. Skips empty lines and those that start with `#`.
    ///
    /// - Parameter path: a file, a pipe, which is waited for as in a shell, an open descriptor, or `-` for the standard
    ///   input.
    package static func sources(in path: String) throws(DataFileError) -> [String] {
        var bytes = try bytes(path)[...]
        // The mark that some editors put in front of UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        // As `find -print0` writes it: any name, unchanged.
        if bytes.contains(0) { return bytes.split(separator: 0).map { SystemPath.text($0) } }
        return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { trimmed(SystemPath.text($0)) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func bytes(_ path: String) throws(DataFileError) -> Data {
        if let descriptor = descriptor(path) {
            return try StreamInput.read(descriptor, name: path, limit: longest)
        }
        return FileKind(path) == .special
            ? try StreamInput.read(pipe: path, limit: longest) : try LocalFileSystem().read(path)
    }

    private static func trimmed(_ line: String) -> String {
        let scalars = line.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
