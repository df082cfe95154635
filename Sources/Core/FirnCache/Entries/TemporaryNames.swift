import FirnSystem
import Synchronization

/// Creates unique names for files being written, from process, count and a random number.
final class TemporaryNames: Sendable {
    /// The age in nanoseconds at which a temporary file counts as left by a dead process: ten minutes. If its writer
    /// was only stopped that long, the entry is lost and becomes a miss.
    private static let leftBehind: Int64 = 600_000_000_000

    private let count = Atomic<UInt64>(0)
    private let ending: String

    init() {
        // Process numbers repeat, over time and across containers. The random number distinguishes such writers.
        ending = "-\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    /// Returns an unused path in a directory.
    ///
    /// Avoids interpolation, which takes as long as the system calls that follow.
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
