#if GTK
package import CGTK4
public import Firn

/// Schedules deliveries to views on GLib's loop: after painting, and in order.
///
/// Works with and without ``GLibMainExecutor``.
public struct GLibFrames: FrameScheduling {
    /// The longest frame that a screen needs, 60 a second, in milliseconds.
    static let frameMilliseconds: guint = 17

    /// Creates a scheduler on GLib's default loop.
    public init() {}

    /// Runs `body` when the loop has nothing more urgent to do, such as painting.
    public func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        LoopSignal.shared.call(body)
    }

    /// Runs `body` one frame later, and then after painting.
    public func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
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

    /// Calls `body` in this interval, at the main actor's priority: after GTK's redrawing.
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
        // The default loop runs on the main thread, which is the main actor's.
        return MainActor.assumeIsolated { body() } ? 1 : 0
    }

    private static let release: GDestroyNotify = { call in
        if let call { Unmanaged<LoopCall>.fromOpaque(call).release() }
    }
}

/// Calls a closure at each frame of a widget, while it is on.
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

/// Runs closures once the layout that caused them is over.
///
/// GTK gives widgets their sizes, and maps and unmaps some, while it lays out a window. Code of a program that runs
/// then and changes a widget, such as the text of a label, leaves that widget and those around it without a place: GTK
/// does not paint them. So whatever a widget does for its program because of its size or visibility runs here.
///
/// Order: closures run in the order of their calls, before the next frame. The priority is between those of GTK's
/// layout and of the frame clock, so frames without a pause between them do not starve the closures, and a closure
/// that causes another layout runs at most once for each frame.
@MainActor
enum AfterLayout {
    /// After `GTK_PRIORITY_RESIZE` (110), before `GDK_PRIORITY_REDRAW` (120).
    private static let priority: Int32 = 115
    private static var waiting: [@MainActor () -> Void] = []

    /// Calls `body` soon. A closure that refers to a widget's object does so weakly: the widget may end before.
    static func run(_ body: @escaping @MainActor () -> Void) {
        waiting.append(body)
        guard waiting.count == 1 else { return }
        LoopCall.soon(priority) { runAll() }
    }

    private static func runAll() {
        // Order: removed first, since a closure may run a loop of its own, as a dialog does.
        let closures = waiting
        waiting = []
        for closure in closures { closure() }
    }
}
#endif
