#if GTK
package import CGTK4
@_exported public import Firn
@_exported public import FirnBinding
import FirnSync
import FirnSystem

/// Schedules deliveries to views on GLib's loop: after painting, and in order.
///
/// Works with and without ``GLibMainExecutor``.
struct GLibFrames: FrameScheduling {
    /// The duration of a frame at 60 Hz, in milliseconds.
    static let frameMilliseconds: guint = 17

    /// Runs `body` when the loop has nothing more urgent to do, such as painting.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        LoopSignal.shared.call(body)
    }

    /// Runs `body` one frame later, and then after painting.
    func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        LoopCall.every(GLibFrames.frameMilliseconds) {
            body()
            return false
        }
    }
}

/// A closure that GLib calls on the main thread until it returns `false`.
package final class LoopCall: Sendable {
    private let body: @MainActor @Sendable () -> Bool

    private init(_ body: @escaping @MainActor @Sendable () -> Bool) { self.body = body }

    /// Calls `body` at this interval, at the main actor's priority: after GTK's redrawing.
    ///
    /// - Returns: the timer.
    @discardableResult
    static func every(_ milliseconds: guint, _ body: @escaping @MainActor @Sendable () -> Bool) -> guint {
        let call = Unmanaged.passRetained(LoopCall(body)).toOpaque()
        return g_timeout_add_full(GLibMainExecutor.defaultPriority, milliseconds, perform, call, release)
    }

    /// Calls `body` once, at a priority.
    static func soon(_ priority: Int32, _ body: @escaping @MainActor @Sendable () -> Void) {
        let call = LoopCall {
            body()
            return false
        }
        g_idle_add_full(priority, perform, Unmanaged.passRetained(call).toOpaque(), release)
    }

    /// Calls `body` at each frame of a widget, in the update phase.
    ///
    /// - Returns: the number of the tick callback.
    @MainActor
    @discardableResult
    package static func eachFrame(
        of widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor @Sendable () -> Bool
    ) -> guint {
        let call = Unmanaged.passRetained(LoopCall(body)).toOpaque()
        return gtk_widget_add_tick_callback(widget, { _, _, call in LoopCall.perform(call) }, call, release)
    }

    private static let perform: GSourceFunc = { call in
        guard let call else { return gboolean(0) }
        let body = Unmanaged<LoopCall>.fromOpaque(call).takeUnretainedValue().body
        // Safety: the default loop runs on the main thread.
        return MainActor.assumeIsolated { body() } ? 1 : 0
    }

    private static let release: GDestroyNotify = { call in
        if let call { Unmanaged<LoopCall>.fromOpaque(call).release() }
    }
}

/// Calls a closure at each frame of a widget, until it is stopped.
@MainActor
struct FrameTicks {
    private var tick: guint = 0

    var isOn: Bool { tick != 0 }

    /// Does nothing if called again.
    mutating func start(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor @Sendable () -> Void) {
        guard tick == 0 else { return }
        tick = LoopCall.eachFrame(of: widget) {
            body()
            return true
        }
    }

    mutating func stop(_ widget: UnsafeMutablePointer<GtkWidget>) {
        if tick != 0 { gtk_widget_remove_tick_callback(widget, tick) }
        tick = 0
    }
}

/// Runs closures after the current layout.
///
/// GTK allocates, maps and unmaps widgets while it lays out a window. If the program's code changes a widget then, such
/// as the text of a label, GTK does not allocate that widget and its neighbors, and does not paint them. So callbacks
/// of the program that are due to a widget's size or visibility run here.
///
/// Order: closures run in the order of their calls, before the next frame. The priority is between GTK's layout and the
/// frame clock, so back-to-back frames do not starve the closures, and a closure that causes another layout runs at
/// most once for each frame.
@MainActor
enum AfterLayout {
    /// After `GTK_PRIORITY_RESIZE` (110), before `GDK_PRIORITY_REDRAW` (120).
    private static let priority: Int32 = 115
    private static var waiting: [@MainActor () -> Void] = []

    /// Calls `body` soon. It must refer to widgets weakly, since they may be destroyed before.
    static func run(_ body: @escaping @MainActor () -> Void) {
        waiting.append(body)
        guard waiting.count == 1 else { return }
        LoopCall.soon(priority) {
            // Order: removed first, since a closure may run a nested loop, as a dialog does.
            let closures = waiting
            waiting = []
            for closure in closures { closure() }
        }
    }
}

/// A queue of closures for GLib's loop that any thread can append to.
///
/// Does not use `g_idle_add`, which wakes the loop while it holds the loop's lock. On a busy machine the scheduler
/// preempts the calling thread at that moment, and the drawing thread waits for it: 148 times in a scroll of four
/// seconds, for up to 68 ms. Here the queue's lock is released before the loop is woken.
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
                // Safety: the default loop runs on the main thread.
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
        // Without an event descriptor, an idle source does the same, more slowly.
        LoopCall.soon(GLibMainExecutor.defaultPriority) { LoopSignal.shared.runCalls() }
    }

    @MainActor
    private func runCalls() {
        // Order: the event is read before the calls are removed, so that a call added meanwhile wakes the loop again.
        var count: UInt64 = 0
        if descriptor >= 0 { _ = read(descriptor, &count, MemoryLayout<UInt64>.size) }
        let waiting = calls.withLock { exchange(&$0, with: []) }
        for call in waiting { call() }
    }
}

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
    /// Runs after GTK's redrawing (120), so that many deliveries cannot starve painting. Measured: 20–28 of 60 frames a
    /// second remain at priority 0, 59 at 125.
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
}

extension BindingContext {
    /// The default context of widgets. Created on first use, over `ImagePipeline.shared` as it is then. Installs
    /// ``GLibMainExecutor``.
    public static let gtk: BindingContext = {
        GLibMainExecutor.install()
        return .gtk(pipeline: .shared)
    }()

    /// Creates a context for widgets. Deliveries run on GLib's loop after painting. Opaque images use the layout
    /// `rgb8`, which GTK paints fastest because it needs no blending. Lowers the priority of the worker threads of all
    /// pipelines in this process, so that they do not delay the drawing thread.
    ///
    /// - Parameters:
    ///   - policy: what happens to the requests that widgets have released. Default: `pause`.
    ///   - options: the options for widgets that set none of their own. The context sets their pixel format.
    ///   - trimsInBackground: whether ``/FirnPipeline/ImagePipeline/didEnterBackground()`` is called when none of the
    ///     application's windows has been visible for a second: all are minimized, suspended by the compositor, hidden
    ///     or closed. Default: yes.
    public static func gtk(
        pipeline: ImagePipeline, policy: ImageReusePolicy = .pause,
        options: ImageLoadingOptions = ImageLoadingOptions(),
        trimsInBackground: Bool = true
    ) -> BindingContext {
        WorkerPriority.lower()
        if trimsInBackground { BackgroundWatch.shared.add(pipeline) }
        return BindingContext(pipeline: pipeline, options: options.forGTK, policy: policy, frames: GLibFrames())
    }
}

extension ImageLoadingOptions {
    /// A copy of the options with the pixel layout that GTK paints fastest.
    public var forGTK: ImageLoadingOptions {
        var options = self
        options.pixelFormat = .rgb8
        return options
    }
}
#endif
