import FirnData
import FirnSystem
import Synchronization

/// Names of files that are being written, which no other writer uses: process, count and a random number.
final class TemporaryNames: Sendable {
    /// Age from which on a temporary file was left by a process that died, in nanoseconds: ten minutes. Should its writer
    /// live, and only have been stopped for so long, its entry is lost, and is a miss.
    private static let leftBehind: Int64 = 600_000_000_000

    private let count = Atomic<UInt64>(0)
    private let random: String

    init() {
        // Process numbers repeat, after a while and in containers; the random number tells such writers apart.
        random = String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// The path of a file that nobody else writes, in a directory.
    ///
    /// Not by interpolation, which takes as long as the calls of the system that follow.
    func next(in directory: String) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        var path = directory
        path.reserveCapacity(directory.utf8.count + 64)
        path += "/."
        path += String(getpid())
        path += "-"
        path += String(number)
        path += "-"
        path += random
        path += ".tmp"
        return path
    }

    /// Whether a temporary file's writer is long dead.
    static func isLeftBehind(_ status: FileStatus, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(status.modified).partialValue > leftBehind
    }

    /// Whether a file of this name is, or was, being written.
    static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }
}
