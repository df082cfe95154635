import FirnSystem

/// The resources that this process has used.
package struct ResourceUse: Sendable {
    /// The peak resident memory since the start of the process, in bytes.
    package let peakMemory: Int
    /// The processor time of all threads, user and system.
    package let processorTime: Duration

    /// The current use, read from the system.
    package static var now: ResourceUse {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let user = Duration.seconds(usage.ru_utime.tv_sec) + .microseconds(usage.ru_utime.tv_usec)
        let system = Duration.seconds(usage.ru_stime.tv_sec) + .microseconds(usage.ru_stime.tv_usec)
        return ResourceUse(peakMemory: usage.ru_maxrss * 1024, processorTime: user + system)
    }

    /// Resets the peak to the current resident memory.
    ///
    /// - Returns: whether the system allowed it; otherwise, peaks are those since the start.
    /// - Source: proc(5), `/proc/pid/clear_refs`, value 5; read back from `VmHWM` in `/proc/pid/status`.
    @discardableResult
    package static func resetPeak() -> Bool {
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "5", 1) == 1
    }
}
