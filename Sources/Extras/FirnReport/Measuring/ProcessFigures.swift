import CFirnStart
import FirnSync
import FirnSystem

/// The heap of the process.
package enum ProcessHeap {
    /// Returns freed memory to the system, but for the reserve where the address space is limited. Blocks.
    package static func trim() { firn_start_trim_heap() }
}

/// The resident memory of this process.
package enum PeakMemory {
    /// The peak in bytes since the last ``reset()``, or since the program started.
    ///
    /// Not from `getrusage`, whose peak starts with the memory of the parent process (Linux, `exec_mmap`). That is only
    /// the fallback without `/proc`.
    ///
    /// - Source: proc(5), `VmHWM` in `/proc/pid/status`.
    package static var sinceReset: Int { inStatus("VmHWM:") ?? usage.ru_maxrss * 1024 }

    /// The resident bytes now; `nil` without `/proc`.
    ///
    /// - Source: proc(5), `VmRSS` in `/proc/pid/status`.
    package static var now: Int? { inStatus("VmRSS:") }

    private static func inStatus(_ field: String) -> Int? {
        guard let status = try? LocalFileSystem().read("/proc/self/status", first: 1 << 16) else { return nil }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(field) }) else { return nil }
        return Int(line.filter { ("0"..."9").contains($0) }).map { $0 * 1024 }
    }

    /// Resets the peak to the current resident memory.
    ///
    /// - Returns: whether the system allowed it; otherwise, peaks are those since the start.
    /// - Source: proc(5), `/proc/pid/clear_refs`, value 5.
    @discardableResult
    package static func reset() -> Bool {
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "5", 1) == 1
    }
}

/// The resources that this process has used.
private var usage: rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
}

package enum ProcessorTime {
    /// The user and system time of all threads so far.
    package static var now: Duration {
        let usage = usage
        let user = Duration.seconds(usage.ru_utime.tv_sec) + .microseconds(usage.ru_utime.tv_usec)
        return user + .seconds(usage.ru_stime.tv_sec) + .microseconds(usage.ru_stime.tv_usec)
    }
}

extension Array where Element: Comparable {
    /// Returns the smallest value that at least `percent` of a hundred values do not exceed; `nil` if there are no
    /// values. By nearest rank: always a measured value.
    ///
    /// - Parameter percent: 0 for the smallest value, 100 for the largest. Values outside are clamped.
    package func percentile(_ percent: Double) -> Element? {
        guard !isEmpty else { return nil }
        let share = Swift.min(Swift.max(percent, 0), 100) / 100
        let rank = Int(saturating: (share * Double(count)).rounded(.up))
        return sorted()[Swift.min(Swift.max(rank, 1), count) - 1]
    }
}
