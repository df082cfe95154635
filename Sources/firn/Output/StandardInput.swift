import Firn
import FoundationEssentials
import FirnSystem

/// What is piped into the command.
enum StandardInput {
    /// All of it, up to `limit` bytes. Blocks until the other side has closed it.
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
