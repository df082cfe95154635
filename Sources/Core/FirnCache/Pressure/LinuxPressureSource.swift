import FirnSync
import FirnSystem

/// Linux's memory pressure: pressure stall information of the process's control group or the machine, and the free
/// memory of both.
///
/// After a first reading, the kernel notifies the source once tasks have waited 150 ms of two seconds for memory; one
/// reading every ten seconds then suffices. Without support by the kernel, the source reads every two seconds, and
/// every second while memory is short.
///
/// Source: Linux, Documentation/accounting/psi.rst.
package final class LinuxPressureSource: PressureSource {
    private struct State {
        /// The two ends of the pipe that interrupts a wait.
        var bell: (read: Int32, write: Int32)?
        /// The descriptor of the kernel's notification.
        var trigger: Int32?
        /// The number of waits so far, capped: 0, 1 or more.
        var waits = 0
        var isStopped = false
    }

    private let files: any FileSystem
    private let openTrigger: @Sendable (String) -> Int32?
    private let state = Locked(State())

    /// Creates a source. Opens no files yet.
    ///
    /// - Parameter openTrigger: opens the kernel's notification for the path of a pressure file; `nil` if unavailable.
    package init(
        files: any FileSystem = LocalFileSystem(),
        openTrigger: @escaping @Sendable (String) -> Int32? = LinuxPressureSource.openTrigger
    ) {
        self.files = files
        self.openTrigger = openTrigger
    }

    deinit {
        state.withLock { state in
            if let bell = state.bell {
                close(bell.read)
                close(bell.write)
            }
            if let trigger = state.trigger { close(trigger) }
        }
    }

    /// Waits with poll(2).
    package func wait(isTense: Bool) -> PressureWait {
        open()
        let (bell, trigger, isStopped) = state.withLock { ($0.bell, $0.trigger, $0.isStopped) }
        guard let bell, !isStopped else { return .stopped }
        var entries = [pollfd(fd: bell.read, events: Int16(POLLIN), revents: 0)]
        if let trigger { entries.append(pollfd(fd: trigger, events: Int16(POLLPRI), revents: 0)) }
        let milliseconds: Int32 = isTense ? 1_000 : trigger != nil ? 10_000 : 2_000
        let count = poll(&entries, nfds_t(entries.count), milliseconds)
        if state.withLock({ $0.isStopped }) { return .stopped }
        guard count > 0, entries.count > 1 else { return .elapsed }
        if Int32(entries[1].revents) & (POLLERR | POLLNVAL) != 0 {
            // The control group and its file no longer exist.
            state.withLock { state in
                if let trigger = state.trigger { close(trigger) }
                state.trigger = nil
            }
            return .elapsed
        }
        return Int32(entries[1].revents) & POLLPRI != 0 ? .called : .elapsed
    }

    /// Reads the kernel's files. A missing file leaves its value `nil`.
    package func read() -> PressureReading {
        var reading = PressureReading(headroom: MachineMemory.headroom(files))
        for path in pressureFiles {
            guard let table = MachineMemory.text(path, files) else { continue }
            reading.someStalled = LinuxPressureSource.average("some", table)
            reading.allStalled = LinuxPressureSource.average("full", table)
            break
        }
        return reading
    }

    /// Ends the wait.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            if let bell = state.bell {
                var byte: UInt8 = 0
                _ = write(bell.write, &byte, 1)
            }
        }
    }

    /// The pressure files, preferred first.
    private var pressureFiles: [String] {
        // The root group's file is the machine's.
        (MachineMemory.groupDirectories(files).last.map { [$0 + "/memory.pressure"] } ?? [])
            + ["/proc/pressure/memory"]
    }

    /// Returns the ten-second average in a line such as `some avg10=0.12 avg60=0.00 avg300=0.00 total=1234`.
    static func average(_ name: String, _ table: String) -> Double? {
        let line = table.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line?.split(separator: " ").first { $0.hasPrefix("avg10=") }.flatMap { Double($0.dropFirst(6)) }
    }

    /// Opens the pipe at the first wait, and the kernel's notification at the second: the kernel takes 20 ms to close
    /// it, which would delay the end of a short-lived process.
    private func open() {
        let waits = state.withLock { state in
            defer { state.waits = min(2, state.waits + 1) }
            return state.waits
        }
        if waits == 0 {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            state.withLock { $0.bell = (ends[0], ends[1]) }
        } else if waits == 1 {
            for path in pressureFiles {
                guard let trigger = openTrigger(path) else { continue }
                return state.withLock { $0.trigger = trigger }
            }
        }
    }

    /// Opens a descriptor that becomes ready (`POLLPRI`) when a task has waited 150 ms of two seconds for memory.
    ///
    /// Two seconds is the shortest window available without privileges.
    package static func openTrigger(_ path: String) -> Int32? {
        let descriptor = FirnSystem.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var agreement = Array("some 150000 2000000".utf8) + [0]
        guard FirnSystem.write(descriptor, &agreement, agreement.count) >= 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
