import FirnSystem

/// Input that is not a file: standard input, descriptors of the shell, pipes.
package enum StreamInput {
    /// Returns the descriptor of a path such as `/dev/stdin` or `/dev/fd/63`; `nil` for other paths and if the
    /// descriptor is a file's.
    package static func descriptor(_ path: String) -> Int32? {
        guard case .descriptor(let number)? = try? OutputPlace(path) else { return nil }
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return number
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

/// The working directory.
package enum CurrentFolder {
    /// Its path; `/` if it was removed.
    package static var path: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }
}

/// A list of sources, named `@list.txt` on the command line.
package enum ListFile {
    /// The maximum length of a list that is not a file, in bytes.
    private static let longest = 1 << 30

    /// Returns the descriptor of a list: 0 for `-`; `nil` for files and pipes.
    package static func descriptor(_ path: String) -> Int32? { path == "-" ? 0 : StreamInput.descriptor(path) }

    /// Reads a list with one source per line, or NUL-separated if it contains a NUL. Skips empty lines and lines that
    /// start with `#`.
    ///
    /// - Parameter path: a file, a pipe (whose writer is awaited), an open descriptor, or `-` for standard input.
    package static func sources(in path: String) throws(DataFileError) -> [String] {
        var bytes = try bytes(path)[...]
        // The byte order mark of some editors.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        // The output of `find -print0`: any names, unchanged.
        if bytes.contains(0) { return bytes.split(separator: 0).map { SystemPath.text($0) } }
        return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { trimmed(SystemPath.text($0)) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func bytes(_ path: String) throws(DataFileError) -> Data {
        if let descriptor = descriptor(path) {
            return try StreamInput.read(descriptor, name: path, limit: longest)
        }
        guard FileKind(path) == .special else { return try LocalFileSystem().read(path) }
        // Waits for a writer.
        let pipe = path.withSystemPath { open($0, O_RDONLY | O_CLOEXEC) }
        guard pipe >= 0 else { throw DataFileError("open", path, code: errno) }
        defer { close(pipe) }
        return try StreamInput.read(pipe, name: path, limit: longest)
    }

    private static func trimmed(_ line: String) -> String {
        let start = line.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = start.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
