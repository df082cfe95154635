#if GTK
import CGTK4
import FirnGTK

/// Motion, clicks and keys with closures.
@MainActor
enum GalleryGestures {
    /// Calls `body` when the pointer moves over a widget.
    static func onMotion(_ widget: Widget, _ body: @escaping @MainActor () -> Void) {
        guard let controller = gtk_event_controller_motion_new() else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(controller), "motion", body)
        gtk_widget_add_controller(widget, controller)
    }

    /// Calls `body` with the place of a click. Other handlers get the click as well.
    static func onClick(
        _ widget: Widget, button: Int32 = GDK_BUTTON_PRIMARY, _ body: @escaping @MainActor (Double, Double) -> Void
    ) {
        guard let gesture = gtk_gesture_click_new() else { return }
        gtk_gesture_single_set_button(gesture, guint(button))
        SignalClosure.connect(UnsafeMutableRawPointer(gesture), "released", click: { body($1, $2) })
        gtk_widget_add_controller(widget, gesture)
    }

    /// Calls `body` with each pressed key before other widgets get it; `true` consumes the key.
    static func onKey(_ widget: Widget, _ body: @escaping @MainActor (KeyTable.Chord) -> Bool) {
        guard let controller = gtk_event_controller_key_new() else { return }
        gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        SignalClosure.connectKey(UnsafeMutableRawPointer(controller), "key-pressed") { key, modifiers in
            // Keys with Alt are the menus' and the window manager's.
            guard modifiers.rawValue & GDK_ALT_MASK.rawValue == 0 else { return false }
            return body(KeyTable.Chord(key, modifiers))
        }
        gtk_widget_add_controller(widget, controller)
    }
}
#endif
