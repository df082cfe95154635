#if GTK
import CFirnAdwaita
import FirnGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// A widget as the types that GTK's functions take.
extension UnsafeMutablePointer where Pointee == GtkWidget {
    var object: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    /// For classes whose structures are private.
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// For classes whose structures are public. `T` must be a class of the widget.
    func cast<T>(_ type: T.Type = T.self) -> UnsafeMutablePointer<T> { object.assumingMemoryBound(to: type) }
}

/// Helpers for what takes several calls of GTK.
@MainActor
extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// Creates a box with its children.
    static func box(_ orientation: GtkOrientation, spacing: gint = 0, _ children: [Widget?]) -> Widget {
        let box: Widget = gtk_box_new(orientation, spacing)
        for case let child? in children { gtk_box_append(box.cast(), child) }
        return box
    }

    /// Creates a button with an icon, whose label is the tooltip and the accessible name.
    static func button(
        _ icon: String, _ label: String, action: String? = nil, classes: [String] = [], isToggle: Bool = false
    ) -> Widget {
        let button: Widget = isToggle ? gtk_toggle_button_new() : gtk_button_new()
        gtk_button_set_icon_name(button.cast(), icon)
        button.label(label)
        if let action { gtk_actionable_set_action_name(button.opaque, action) }
        for name in classes { gtk_widget_add_css_class(button, name) }
        return button
    }

    /// Creates a button with a text, in which an underscore marks the letter of its key.
    static func button(text: String, action: String, classes: [String] = []) -> Widget {
        let button: Widget = gtk_button_new_with_mnemonic(text)
        gtk_actionable_set_action_name(button.opaque, action)
        for name in classes { gtk_widget_add_css_class(button, name) }
        return button
    }

    /// Creates a page that is shown in place of images.
    static func status(_ icon: String, _ title: String = "", _ description: String = "", button: Widget?) -> Widget {
        let page: Widget = adw_status_page_new()
        adw_status_page_set_icon_name(page.opaque, icon)
        adw_status_page_set_title(page.opaque, title)
        adw_status_page_set_description(page.opaque, description)
        if let button {
            gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
            adw_status_page_set_child(page.opaque, button)
        }
        return page
    }

    /// Creates a label of one line, shortened at its end.
    static func text(_ text: String, classes: [String] = []) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        for name in classes { gtk_widget_add_css_class(label, name) }
        return label
    }

    /// Sets the tooltip and the accessible name.
    func label(_ text: String) {
        gtk_widget_set_tooltip_text(self, text)
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, text, of: opaque)
    }

    /// Sets the margins: all, or horizontal and vertical.
    func margin(_ across: gint, _ along: gint? = nil) {
        gtk_widget_set_margin_start(self, across)
        gtk_widget_set_margin_end(self, across)
        gtk_widget_set_margin_top(self, along ?? across)
        gtk_widget_set_margin_bottom(self, along ?? across)
    }

    var parent: Widget? { gtk_widget_get_parent(self) }

    var isVisible: Bool {
        get { gtk_widget_get_visible(self) != 0 }
        nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
    }

    /// Calls `body` when the pointer moves over the widget.
    func onMotion(_ body: @escaping @MainActor () -> Void) {
        guard let controller = gtk_event_controller_motion_new() else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(controller), "motion", body)
        gtk_widget_add_controller(self, controller)
    }

    /// Calls `body` with the position of a click. Other handlers get the click, too.
    func onClick(
        button: Int32 = GDK_BUTTON_PRIMARY, _ body: @escaping @MainActor (Double, Double) -> Void
    ) {
        guard let gesture = gtk_gesture_click_new() else { return }
        gtk_gesture_single_set_button(gesture, guint(button))
        SignalClosure.connect(UnsafeMutableRawPointer(gesture), "released", click: { body($1, $2) })
        gtk_widget_add_controller(self, gesture)
    }

    /// Calls `body` with each pressed key before other widgets get it; `true` consumes the key.
    func onKey(_ body: @escaping @MainActor (KeyTable.Chord) -> Bool) {
        guard let controller = gtk_event_controller_key_new() else { return }
        gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        SignalClosure.connectKey(UnsafeMutableRawPointer(controller), "key-pressed") { key, modifiers in
            // Keys with Alt belong to menus and the window manager.
            guard modifiers.rawValue & GDK_ALT_MASK.rawValue == 0 else { return false }
            return body(KeyTable.Chord(key, modifiers))
        }
        gtk_widget_add_controller(self, controller)
    }
}

/// Waits for frames of a window.
@MainActor
enum FrameTurn {
    /// Returns after an iteration of the loop.
    static func next() async { try? await Task.sleep(for: .milliseconds(2)) }

    /// Calls `body` in the update phase of each frame until it returns `false`, without another thread.
    static func frames(of widget: Widget, _ body: @escaping @MainActor () -> Bool) async {
        await withCheckedContinuation { continuation in
            LoopCall.eachFrame(of: widget) {
                if body() { return true }
                continuation.resume()
                return false
            }
        }
    }

    /// Returns in the update phase of the next frame, before its layout.
    static func frame(of widget: Widget) async { await frames(of: widget) { false } }

    /// Returns once a scrolled window is mapped and has a height.
    static func layout(of scrolled: Widget) async {
        let adjustment = gtk_scrolled_window_get_vadjustment(scrolled.opaque)
        while gtk_widget_get_mapped(scrolled) == 0 || gtk_adjustment_get_page_size(adjustment) < 1 { await next() }
    }
}
#endif
