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
