import Glibc
import Synchronization

/// Names of files that are being written, which no other writer uses: process, count and a random number.
final class TemporaryNames: Sendable {
    /// Age from which on a temporary file was left by a process that died, in nanoseconds: ten minutes. Should its writer
    /// live, and only have been stopped for so long, its entry is lost, and is a miss.
    static let leftBehind: Int64 = 600_000_000_000

    private let count = Atomic<UInt64>(0)
    private let suffix: String

    init() {
        // Process numbers repeat, after a while and in containers; the random number tells such writers apart.
        suffix = "-\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    func next() -> String {
        ".\(getpid())-\(count.add(1, ordering: .relaxed).newValue)\(suffix)"
    }

    /// Whether a file of this name is, or was, being written.
    static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }
}
