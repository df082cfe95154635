#if GTK
import CFirnAdwaita
import FirnGTK

/// The window's actions, which menus, buttons and keys share by their names.
@MainActor
final class GalleryActions {
    /// The prefix of the names in menus and buttons.
    static let prefix = "win"
    /// The `GSimpleActionGroup`.
    private let group: OpaquePointer

    /// Adds the actions to a widget and all widgets in it.
    init(_ widget: Widget) {
        guard let group = g_simple_action_group_new() else { fatalError("GLib made no actions") }
        self.group = OpaquePointer(group)
        gtk_widget_insert_action_group(widget, GalleryActions.prefix, self.group)
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(group)) }

    /// Adds an action.
    func add(_ name: String, _ body: @escaping @MainActor () -> Void) {
        let action: OpaquePointer = g_simple_action_new(name, nil)
        SignalClosure.connect(UnsafeMutableRawPointer(action), "activate", body)
        insert(action)
    }

    /// Adds an action that is on or off, at first off. `body` gets the new state.
    func addToggle(_ name: String, _ body: @escaping @MainActor (Bool) -> Void) {
        add(name, nil, g_variant_new_boolean(0)) { body(g_variant_get_boolean($0) != 0) }
    }

    /// Adds an action whose state is one of several texts. `body` gets the new one.
    func addChoice(_ name: String, _ chosen: String, _ body: @escaping @MainActor (String) -> Void) {
        let type = g_variant_type_new("s")
        defer { g_variant_type_free(type) }
        add(name, type, g_variant_new_string(chosen)) { body(String(cString: g_variant_get_string($0, nil))) }
    }

    private func add(
        _ name: String, _ type: OpaquePointer?, _ state: OpaquePointer?,
        _ body: @escaping @MainActor (OpaquePointer) -> Void
    ) {
        let action: OpaquePointer = g_simple_action_new_stateful(name, type, state)
        SignalClosure.connect(
            UnsafeMutableRawPointer(action), "change-state",
            object: { [unowned self] state in
                self.set(name, to: state)
                body(state)
            })
        insert(action)
    }

    /// Performs an action as a menu does.
    func perform(_ name: String) { g_action_group_activate_action(group, name, nil) }

    /// Sets the state of a choice without calling its closure.
    func show(_ name: String, _ chosen: String) { set(name, to: g_variant_new_string(chosen)) }

    /// Enables or disables an action, and with it its buttons and its lines of menus.
    func enable(_ names: [String], _ isEnabled: Bool) {
        for name in names {
            guard let action = g_action_map_lookup_action(group, name) else { continue }
            g_simple_action_set_enabled(action, isEnabled ? 1 : 0)
        }
    }

    private func set(_ name: String, to state: OpaquePointer?) {
        guard let action = g_action_map_lookup_action(group, name) else { return }
        g_simple_action_set_state(action, state)
    }

    private func insert(_ action: OpaquePointer) {
        g_action_map_add_action(group, action)
        g_object_unref(UnsafeMutableRawPointer(action))
    }
}

/// A menu of the window's actions.
@MainActor
enum GalleryMenu {
    /// Creates a menu of sections. An action may have a target: `sort::name`. The caller owns it.
    static func model(_ sections: [[(label: String, action: String)]]) -> UnsafeMutablePointer<GMenuModel> {
        let menu: OpaquePointer = g_menu_new()
        for section in sections {
            let part: OpaquePointer = g_menu_new()
            for (label, action) in section { g_menu_append(part, label, "\(GalleryActions.prefix).\(action)") }
            g_menu_append_section(menu, nil, UnsafeMutableRawPointer(part).assumingMemoryBound(to: GMenuModel.self))
            g_object_unref(UnsafeMutableRawPointer(part))
        }
        return UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self)
    }

    /// Creates a button that opens a menu.
    static func button(
        _ icon: String, _ label: String, _ sections: [[(label: String, action: String)]], isPrimary: Bool = false
    ) -> Widget {
        let button: Widget = gtk_menu_button_new()
        gtk_menu_button_set_icon_name(button.opaque, icon)
        button.label(label)
        if isPrimary { gtk_menu_button_set_primary(button.opaque, 1) }
        let menu = model(sections)
        gtk_menu_button_set_menu_model(button.opaque, menu)
        g_object_unref(menu)
        return button
    }
}
#endif
