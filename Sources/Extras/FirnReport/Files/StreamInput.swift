package import FirnData
import FirnSystem
package import FoundationEssentials

/// Input that is no file: the standard input, descriptors of the shell, pipes.
package enum StreamInput {
    /// Returns the descriptor that a path such as `/dev/stdin` or `/dev/fd/63` names; `nil` for other paths, and if the
    /// descriptor is that of a file.
    package static func descriptor(_ path: String) -> Int32? {
        guard case .descriptor(let number)? = try? OutputPlace(path) else { return nil }
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return number
    }

    /// Opens a pipe, reads it to its end, or up to `limit` bytes, and closes it. Waits for a program that writes.
    package static func read(pipe path: String, limit: Int) throws(DataFileError) -> Data {
        let descriptor = path.withSystemPath { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw DataFileError("open", path, code: errno) }
        defer { close(descriptor) }
        return try read(descriptor, name: path, limit: limit)
    }

    /// Reads a descriptor to its end, or up to `limit` bytes. Blocks.
    package static func read(_ descriptor: Int32, name: String, limit: Int) throws(DataFileError) -> Data {
        var data = Data()
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < limit {
            let count = FirnSystem.read(descriptor, &block, min(block.count, limit - data.count))
            if count == 0 { break }
            if count > 0 {
                data.append(contentsOf: block[..<count])
            } else if errno != EINTR {
                throw DataFileError("read", name, code: errno)
            }
        }
        return data
    }
}

/// The folder for relative paths.
package enum CurrentFolder {
    /// Its path; `/` if it was removed.
    package static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}

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
