#if GTK
import CGTK4
import FirnSync
import FirnSystem

/// A queue of closures that other threads pass to GLib's loop, and the wake-up of that loop.
///
/// It does not use `g_idle_add`, which wakes the loop while it holds the loop's own lock. On a busy machine the
/// scheduler preempts the calling thread at that moment, and the drawing thread waits for it: 148 times in a scroll
/// of four seconds, for up to 68 ms. Here the queue's lock is released before the loop is woken.
///
/// Safety: `descriptor` is set once and is valid as long as the process lives.
final class LoopSignal: Sendable {
    static let shared = LoopSignal()

    private let calls = Locked<[@MainActor @Sendable () -> Void]>([])
    private let descriptor: Int32

    private init() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return }
        g_unix_fd_add_full(
            GLibMainExecutor.defaultPriority, descriptor, G_IO_IN,
            { _, _, _ in
                // The default loop runs on the main thread, which is the main actor's.
                MainActor.assumeIsolated { LoopSignal.shared.runCalls() }
                return gboolean(1)
            }, nil, nil)
    }

    /// Calls `body` on the loop, after painting. Callable from any thread.
    func call(_ body: @escaping @MainActor @Sendable () -> Void) {
        let isFirst = calls.withLock { calls in
            calls.append(body)
            return calls.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        guard descriptor < 0 || write(descriptor, &one, MemoryLayout<UInt64>.size) < 0 else { return }
        // Without an event descriptor, GLib's idle source does the same, more slowly.
        g_idle_add_full(
            GLibMainExecutor.defaultPriority,
            { _ in
                MainActor.assumeIsolated { LoopSignal.shared.runCalls() }
                return gboolean(0)
            }, nil, nil)
    }

    @MainActor
    private func runCalls() {
        // Order: the event is read before the calls are taken, so that a call added meanwhile wakes the loop again.
        var count: UInt64 = 0
        if descriptor >= 0 { _ = read(descriptor, &count, MemoryLayout<UInt64>.size) }
        let waiting = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in waiting { call() }
    }
}
#endif
