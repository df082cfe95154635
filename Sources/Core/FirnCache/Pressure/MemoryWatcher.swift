public import FirnImage
internal import FirnSync

/// Watches memory pressure on a separate thread, which sleeps nearly all the time.
///
/// While memory is short, reduces the reported share by a quarter or a half at a time, down to a tenth. Once memory has
/// not been short for ten seconds, raises it by a quarter every five seconds.
package final class MemoryWatcher: MemoryWatching {
    private let source: any PressureSource
    private let now: @Sendable () -> Duration

    /// Creates a watcher, not started.
    ///
    /// - Parameters:
    ///   - source: the source of readings. Default: Linux; see ``LinuxPressureSource``.
    ///   - now: a monotonic clock. Default: the system's.
    package init(source: any PressureSource = LinuxPressureSource(), now: (@Sendable () -> Duration)? = nil) {
        self.source = source
        self.now = now ?? { .monotonic() }
    }

    /// Starts the thread. If that fails, memory counts as sufficient.
    package func start(_ notify: @escaping @Sendable (Double) -> Void) {
        let (source, now) = (source, now)
        WorkerThread.start { MemoryWatcher.watch(source, now, notify) }
    }

    /// Ends the thread.
    package func stop() { source.stop() }

    private static func watch(
        _ source: any PressureSource, _ now: @Sendable () -> Duration, _ notify: @Sendable (Double) -> Void
    ) {
        var policy = PressurePolicy()
        while true {
            let end = source.wait(isTense: policy.share < 1)
            if end == .stopped { return }
            var reading = source.read()
            reading.isCalled = end == .called
            let before = policy.share
            policy.take(reading, at: now().nanoseconds)
            if policy.share != before { notify(policy.share) }
        }
    }
}

/// A source of memory pressure readings. Tests supply their own.
package protocol PressureSource: AnyObject, Sendable {
    /// Waits on the watcher's thread until the system sends a notification, the interval has passed, or ``stop()`` is
    /// called.
    ///
    /// - Parameter isTense: whether memory was short recently, so that the interval should be short.
    func wait(isTense: Bool) -> PressureWait

    /// Returns the current reading. Called on the watcher's thread.
    func read() -> PressureReading

    /// Makes ``wait(isTense:)`` return `stopped` from now on. Called on any thread; must not block.
    func stop()
}

/// The reason why a wait ended.
package enum PressureWait: Sendable {
    /// The system sent a notification: tasks wait for memory.
    case called
    /// The time has passed.
    case elapsed
    /// The source was stopped.
    case stopped
}

extension MemoryBudget {
    /// ``/FirnImage/MemoryBudget/shared``, limited to the control group's memory, and smaller while the machine is
    /// short of memory.
    ///
    /// The first use of the budget starts the watching thread.
    public static let machine: MemoryBudget = {
        let budget = MemoryBudget.shared
        budget.total = MachineMemory.imageBytes
        budget.watch(by: MemoryWatcher())
        return budget
    }()
}
