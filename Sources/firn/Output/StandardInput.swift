import Firn
import FoundationEssentials
import FirnSystem

/// The standard input.
enum StandardInput {
    /// Reads it to its end, or up to `limit` bytes. Blocks.
    static func read(limit: Int) throws(FileError) -> Data {
        var data = Data()
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < limit {
            let count = FirnSystem.read(STDIN_FILENO, &block, min(block.count, limit - data.count))
            if count == 0 { break }
            if count > 0 {
                data.append(contentsOf: block[..<count])
            } else if errno != EINTR {
                throw FileError("read", "-", code: errno)
            }
        }
        return data
    }
}
