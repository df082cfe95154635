import FirnData
import FirnSystem
import Synchronization

/// Unique names for files that are being written: process, count and a random number.
final class TemporaryNames: Sendable {
    /// The age at which a temporary file counts as left by a dead process, in nanoseconds: ten minutes. If its writer
    /// was only stopped for so long, its entry is lost, and is a miss.
    private static let leftBehind: Int64 = 600_000_000_000

    private let count = Atomic<UInt64>(0)
    private let ending: String

    init() {
        // Process numbers repeat, over time and in containers. The random number distinguishes such writers.
        ending = "-\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    /// Returns an unused path in a directory.
    ///
    /// Not by interpolation, which takes as long as the system calls that follow.
    func next(in directory: String) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        var path = directory
        path.reserveCapacity(directory.utf8.count + 64)
        path += "/."
        path += String(getpid())
        path += "-"
        path += String(number)
        path += ending
        return path
    }

    /// Returns whether the writer of a temporary file is dead.
    static func isLeftBehind(_ status: FileStatus, at moment: Int64) -> Bool {
        status.modified.isOlder(than: leftBehind, at: moment)
    }

    /// Returns whether a name is that of a temporary file.
    static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }
}
