#if GTK
import CGTK4

/// Wheel and drag gestures with closures.
@MainActor
enum GalleryGestures {
    private final class Pair {
        let body: @MainActor (Double, Double) -> Bool
        init(_ body: @escaping @MainActor (Double, Double) -> Bool) { self.body = body }
    }

    /// Calls `body` with the distance of the wheel; `true` consumes the event.
    static func onWheel(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Double) -> Bool) {
        guard let controller = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL) else { return }
        gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        connect(UnsafeMutableRawPointer(controller), "scroll") { body($1) }
        gtk_widget_add_controller(widget, controller)
    }

    /// Calls `begin` at the press, and `move` with the distance since then.
    static func onDrag(
        _ widget: UnsafeMutablePointer<GtkWidget>, begin: @escaping @MainActor () -> Void,
        move: @escaping @MainActor (Double, Double) -> Void
    ) {
        guard let gesture = gtk_gesture_drag_new() else { return }
        connect(UnsafeMutableRawPointer(gesture), "drag-begin") { _, _ in
            begin()
            return false
        }
        connect(UnsafeMutableRawPointer(gesture), "drag-update") {
            move($0, $1)
            return false
        }
        gtk_widget_add_controller(widget, gesture)
    }

    /// Calls `body` at a click. Other handlers get the click as well.
    static func onClick(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
        guard let gesture = gtk_gesture_click_new() else { return }
        let call: @MainActor @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void = {
            _, _, _, _, context in
            guard let context else { return }
            _ = Unmanaged<Pair>.fromOpaque(context).takeUnretainedValue().body(0, 0)
        }
        let pair = Pair { _, _ in
            body()
            return false
        }
        g_signal_connect_data(
            UnsafeMutableRawPointer(gesture), "released", unsafeBitCast(call, to: GCallback.self),
            Unmanaged.passRetained(pair).toOpaque(),
            { context, _ in if let context { Unmanaged<Pair>.fromOpaque(context).release() } },
            GConnectFlags(rawValue: 0))
        gtk_widget_add_controller(widget, gesture)
    }

    /// Connects a signal with two numbers. The result counts only if the signal has one.
    private static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (Double, Double) -> Bool
    ) {
        let call: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean = { _, x, y, context in
            guard let context else { return 0 }
            return Unmanaged<Pair>.fromOpaque(context).takeUnretainedValue().body(x, y) ? 1 : 0
        }
        g_signal_connect_data(
            object, signal, unsafeBitCast(call, to: GCallback.self), Unmanaged.passRetained(Pair(body)).toOpaque(),
            { context, _ in if let context { Unmanaged<Pair>.fromOpaque(context).release() } },
            GConnectFlags(rawValue: 0))
    }
}
#endif
