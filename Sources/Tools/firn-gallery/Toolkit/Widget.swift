#if GTK
import CFirnAdwaita
import FirnGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// Shortcuts for several calls of GTK.
@MainActor
extension UnsafeMutablePointer where Pointee == GtkWidget {
    var object: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    /// Creates a box with its children.
    static func box(_ orientation: GtkOrientation, spacing: gint = 0, _ children: [Widget?]) -> Widget {
        let box: Widget = gtk_box_new(orientation, spacing)
        for case let child? in children { box.append(child) }
        return box
    }

    /// Creates a button with an icon. The label is its tooltip and accessible name.
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

    /// Creates a button with a text. An underscore marks its mnemonic.
    static func button(text: String, action: String, classes: [String] = []) -> Widget {
        let button: Widget = gtk_button_new_with_mnemonic(text)
        gtk_actionable_set_action_name(button.opaque, action)
        for name in classes { gtk_widget_add_css_class(button, name) }
        return button
    }

    /// Creates a page for when there are no images.
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

    /// Creates a label of one line, which is ellipsized at the end.
    static func text(_ text: String, classes: [String] = []) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        for name in classes { gtk_widget_add_css_class(label, name) }
        return label
    }

    /// Removes the buttons that minimize and maximize from the header bar of a narrow window, for its title.
    func fitHeader(width: gint) {
        guard let settings = gtk_widget_get_settings(self) else { return }
        var value = GValue()
        g_value_init(&value, GType.string)
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-decoration-layout", &value)
        let layout = g_value_get_string(&value).map { String(cString: $0) } ?? ""
        let sides = layout.split(separator: ":", omittingEmptySubsequences: false).map { side in
            side.split(separator: ",").filter { !["minimize", "maximize"].contains($0) }.joined(separator: ",")
        }
        adw_header_bar_set_decoration_layout(opaque, width < 500 ? sides.joined(separator: ":") : nil)
    }

    /// Adds or removes a style class.
    func style(_ name: String, _ isStyled: Bool) {
        if isStyled { gtk_widget_add_css_class(self, name) } else { gtk_widget_remove_css_class(self, name) }
    }

    /// Adds a widget over the child of this overlay.
    func add(_ child: Widget, _ across: GtkAlign, _ along: GtkAlign) {
        gtk_widget_set_halign(child, across)
        gtk_widget_set_valign(child, along)
        gtk_overlay_add_overlay(opaque, child)
    }

    /// Sets the tooltip and the accessible name.
    func label(_ text: String) {
        gtk_widget_set_tooltip_text(self, text)
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, text, of: opaque)
    }

    /// Sets the margins: all four, or horizontal and vertical.
    func margin(_ across: gint, _ along: gint? = nil) {
        gtk_widget_set_margin_start(self, across)
        gtk_widget_set_margin_end(self, across)
        gtk_widget_set_margin_top(self, along ?? across)
        gtk_widget_set_margin_bottom(self, along ?? across)
    }

    /// Returns the bounds of the widget in another one; `nil` before its first layout.
    func bounds(in other: Widget) -> graphene_rect_t? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(self, other, &bounds) != 0 else { return nil }
        return bounds.size.width > 0 && bounds.size.height > 0 ? bounds : nil
    }

    var parent: Widget? { gtk_widget_get_parent(self) }

    var isVisible: Bool {
        get { gtk_widget_get_visible(self) != 0 }
        nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
    }

    /// True in a layout from right to left.
    var isMirrored: Bool { gtk_widget_get_direction(self) == GTK_TEXT_DIR_RTL }

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
        SignalClosure.connectClick(UnsafeMutableRawPointer(gesture), "released") { body($1, $2) }
        gtk_widget_add_controller(self, gesture)
    }

    /// Calls `body` for each pressed key, before other widgets get it; `true` consumes the key.
    func onKey(_ body: @escaping @MainActor (KeyTable.Chord) -> Bool) {
        guard let controller = gtk_event_controller_key_new() else { return }
        gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        let call: @MainActor @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = {
            // Keys with Alt belong to menus and the window manager.
            guard $3.rawValue & GDK_ALT_MASK.rawValue == 0,
                let body: @MainActor (KeyTable.Chord) -> Bool = SignalClosure.body($4)
            else { return 0 }
            return body(KeyTable.Chord($1, $3)) ? 1 : 0
        }
        SignalClosure.connect(UnsafeMutableRawPointer(controller), "key-pressed", calling: call, with: body)
        gtk_widget_add_controller(self, controller)
    }
}

/// Waits for frames of a window.
@MainActor
enum FrameTurn {
    /// Returns after an iteration of the loop.
    static func next() async { try? await Task.sleep(for: .milliseconds(2)) }

    /// Calls `body` in the update phase of each frame until it returns `false`. No other thread is involved.
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
