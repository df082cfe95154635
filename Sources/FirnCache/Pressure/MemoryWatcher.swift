import FirnImage
import FirnData
import FirnSync

/// Watches how short memory is, on a thread of its own that sleeps nearly all the time.
///
/// The share that it tells is cut by a quarter or a half at a time while memory is short, down to a tenth, and grows again by
/// a quarter every five seconds once memory has not been short for ten.
package final class MemoryWatcher: MemoryWatching {
    private let source: any PressureSource
    private let now: @Sendable () -> Duration

    /// A watcher that has not begun.
    ///
    /// - Parameters:
    ///   - source: tells how short memory is. By default Linux does; see ``LinuxPressureSource``.
    ///   - now: a clock that never runs backwards. By default the system's monotonic one.
    package init(source: any PressureSource = LinuxPressureSource(), now: (@Sendable () -> Duration)? = nil) {
        self.source = source
        self.now = now ?? { .monotonic() }
    }

    /// Starts the thread. Without one memory is taken to be plenty.
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
            var isCalled = false
            switch source.wait(isTense: policy.share < 1) {
            case .stopped: return
            case .called: isCalled = true
            case .elapsed: break
            }
            var reading = source.read()
            reading.isCalled = isCalled
            let before = policy.share
            policy.take(reading, at: now().nanoseconds)
            if policy.share != before { notify(policy.share) }
        }
    }
}
