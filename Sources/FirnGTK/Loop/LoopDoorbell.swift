import CGTK4
import FirnSync
import FirnSystem

/// What other threads want GLib's loop to do, and how they call it.
///
/// Not by `g_idle_add`: that wakes the loop while it holds the loop's own lock. On a busy machine the thread that called is
/// put aside at that moment, and the drawing thread waits for it: seen 148 times in a scroll of four seconds, for up to
/// 68 ms. Here the calls are left under a lock that is free again before the loop is woken.
///
/// Safety: `descriptor` is set once; it lives as long as the process.
final class LoopDoorbell: Sendable {
    static let shared = LoopDoorbell()

    private let calls = Locked<[@MainActor @Sendable () -> Void]>([])
    private let descriptor: Int32

    private init() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return }
        g_unix_fd_add_full(
            GLibMainExecutor.defaultPriority, descriptor, G_IO_IN,
            { _, _, _ in
                // The default loop runs on the main thread, which is the main actor's.
                MainActor.assumeIsolated { LoopDoorbell.shared.answer() }
                return gboolean(1)
            }, nil, nil)
    }

    /// Has the loop call `body`, behind painting. From any thread.
    func call(_ body: @escaping @MainActor @Sendable () -> Void) {
        let isFirst = calls.withLock { calls in
            calls.append(body)
            return calls.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        guard descriptor < 0 || write(descriptor, &one, MemoryLayout<UInt64>.size) < 0 else { return }
        // Without a descriptor of its own it is GLib's: slower, and as right.
        g_idle_add_full(
            GLibMainExecutor.defaultPriority,
            { _ in
                MainActor.assumeIsolated { LoopDoorbell.shared.answer() }
                return gboolean(0)
            }, nil, nil)
    }

    @MainActor
    private func answer() {
        // Order: the ring is taken back before the calls are taken, so that what comes in between rings again.
        var count: UInt64 = 0
        if descriptor >= 0 { _ = read(descriptor, &count, MemoryLayout<UInt64>.size) }
        let waiting = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in waiting { call() }
    }
}
