#if GTK
import CGTK4
import FirnSystem

/// Runs the main actor on GLib's loop, so that `await`, `Task { @MainActor in … }` and `Task.sleep` work in a GTK
/// program.
///
/// The main actor's executor is libdispatch's main queue. Its handle, which CoreFoundation's loop also uses, becomes a
/// source of GLib's default context:
///
/// ```swift
/// GLibMainExecutor.install()          // once, on the main thread, before the loop runs
/// g_application_run(application, 0, nil)
/// ```
/// The program's `main` must be synchronous: the main thread runs GLib's loop.
@MainActor
public enum GLibMainExecutor {
    /// Runs after GTK's redrawing (120), so that many deliveries cannot starve painting. Measured: at priority 0 they
    /// leave 20–28 frames a second of 60, at 125 they leave 59.
    public nonisolated static let defaultPriority: Int32 = 125

    private static var source: guint = 0

    /// True if the main actor runs on GLib's loop.
    public static var isInstalled: Bool { source != 0 }

    /// Runs the main actor on GLib's default loop. Does nothing if called again.
    ///
    /// - Parameter priority: the priority of the source in the loop; larger numbers run later. Above 120, painting
    ///   precedes deliveries.
    public static func install(priority: Int32 = defaultPriority) {
        guard source == 0 else { return }
        let handle = _dispatch_get_main_queue_handle_4CF()
        source = g_unix_fd_add_full(
            priority, handle, G_IO_IN,
            { handle, _, _ in
                // Order: the event is read before the queue is drained, so that work added meanwhile wakes the loop
                // again.
                var count: UInt64 = 0
                _ = read(handle, &count, MemoryLayout<UInt64>.size)
                _dispatch_main_queue_callback_4CF(nil)
                return gboolean(1)
            }, nil, nil)
    }

    /// Removes the main actor from GLib's loop.
    public static func uninstall() {
        guard source != 0 else { return }
        g_source_remove(source)
        source = 0
    }
}
#endif
