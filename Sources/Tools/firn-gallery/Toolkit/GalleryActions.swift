#if GTK
import CFirnAdwaita
import FirnGTK

/// The window's actions, which menus, buttons and keys refer to by name.
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

    /// Adds an action that is on or off, initially off. `body` gets the new state.
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

    /// Enables or disables actions with their buttons and menu items.
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

/// The keys of the gallery: which action a key performs, and the groups in which the window of shortcuts shows them.
struct KeyTable {
    /// One line of the window of shortcuts.
    struct Line {
        let action: String
        let title: String
        /// The keys in the syntax of `gtk_accelerator_parse`. The first is shown.
        let keys: [String]

        init(_ action: String, _ title: String, _ keys: String...) {
            self.action = action
            self.title = title
            self.keys = keys
        }
    }

    /// Keys that work everywhere, in the grid, and with the large image.
    static let everywhere = [
        Line("open", tr("Open a folder"), "<Control>o"),
        Line("fullscreen", tr("Full screen"), "F11"),
        Line("undo", tr("Bring back from the trash"), "<Control>z"),
        Line("statistics", tr("Statistics"), "F12"),
        Line("shortcuts", tr("Keyboard shortcuts"), "<Control>question", "<Control>slash"),
        Line("next-policy", tr("Statistics: next policy"), "<Control>p"),
        Line("next-network", tr("Statistics: next network"), "<Control>n"),
        Line("dark", tr("Dark or light"), "<Control>d"),
        Line("close", tr("Close"), "<Control>w", "<Control>q"),
    ]
    static let grid = [
        Line("search", tr("Search by name"), "<Control>f"),
        Line("larger", tr("Larger images"), "<Control>plus", "<Control>equal", "<Control>KP_Add"),
        Line("smaller", tr("Smaller images"), "<Control>minus", "<Control>KP_Subtract"),
        Line("copy", tr("Copy"), "<Control>c"),
        Line("select-all", tr("Select all"), "<Control>a"),
        Line("trash", tr("Move to the trash"), "Delete"),
        Line("menu", tr("Menu of the image"), "Menu", "<Shift>F10"),
        Line("retry", tr("Try failed images again"), "r"),
        Line("slides", tr("Slide show"), "F5"),
    ]
    static let viewer = [
        Line("next", tr("Next image"), "Right", "space", "Page_Down"),
        Line("previous", tr("Previous image"), "Left", "Page_Up"),
        Line("first", tr("First image"), "Home"),
        Line("last", tr("Last image"), "End"),
        Line("zoom.in", tr("Zoom in"), "plus", "equal", "KP_Add", "<Control>plus", "<Control>equal"),
        Line("zoom.out", tr("Zoom out"), "minus", "KP_Subtract", "<Control>minus"),
        Line("zoom.fit", tr("Whole image"), "0", "f", "<Control>0"),
        Line("zoom.pixels", tr("Pixel by pixel"), "1", "<Control>1"),
        Line("save-part", tr("Save the visible part as a new file"), "<Control>s"),
        Line("crop", tr("Crop to a new file"), "c"),
        Line("print", tr("Print"), "<Control>p"),
        Line("rotate.right", tr("Rotate right"), "<Control>r"),
        Line("rotate.left", tr("Rotate left"), "<Control><Shift>r"),
        Line("info", tr("Information"), "i", "F9"),
        Line("copy", tr("Copy"), "<Control>c"),
        Line("trash", tr("Move to the trash"), "Delete"),
        Line("retry", tr("Try again"), "r"),
        Line("slides", tr("Slide show"), "F5"),
        Line("search", tr("Search by name"), "<Control>f"),
        Line("back", tr("Back to the grid"), "Escape", "BackSpace"),
    ]

    /// Keys that move a zoomed image. Otherwise they are those of ``viewer``.
    static let zoomed = [
        Line("pan.left", tr("Move left"), "Left", "KP_Left"),
        Line("pan.right", tr("Move right"), "Right", "KP_Right"),
        Line("pan.up", tr("Move up"), "Up", "KP_Up"),
        Line("pan.down", tr("Move down"), "Down", "KP_Down"),
        Line("pan.start", tr("Move to the start"), "Home", "KP_Home"),
        Line("pan.end", tr("Move to the end"), "End", "KP_End"),
    ]

    /// Keys that crop an image. The arrows are handled by the crop itself.
    static let crop = [
        Line("crop-save", tr("Save as a new file"), "Return", "KP_Enter"),
        Line("crop-move", tr("Move the rectangle"), "Right"),
        Line("crop-size", tr("Change its size"), "<Shift>Right"),
        Line("crop-pixel", tr("By one pixel"), "<Control>Right"),
        Line("crop-leave", tr("Leave without saving"), "Escape"),
    ]

    /// A key with its modifiers; letters are in lower case.
    struct Chord: Hashable {
        let key: UInt32
        let modifiers: UInt32

        var isControl: Bool { modifiers & GDK_CONTROL_MASK.rawValue != 0 }
        var isShift: Bool { modifiers & GDK_SHIFT_MASK.rawValue != 0 }

        /// Shift counts only for letters and function keys, because only some keyboards need it for `plus`.
        init(_ key: UInt32, isControl: Bool, isShift: Bool) {
            let lower = gdk_keyval_to_lower(key)
            let isNamed = key > 0xFF00 || gdk_keyval_to_upper(lower) != lower
            self.key = lower
            modifiers =
                (isControl ? GDK_CONTROL_MASK.rawValue : 0)
                | (isShift && isNamed ? GDK_SHIFT_MASK.rawValue : 0)
        }

        init(_ key: UInt32, _ modifiers: GdkModifierType) {
            self.init(
                key, isControl: modifiers.rawValue & GDK_CONTROL_MASK.rawValue != 0,
                isShift: modifiers.rawValue & GDK_SHIFT_MASK.rawValue != 0)
        }

        init?(_ text: String) {
            var key: guint = 0
            var modifiers = GdkModifierType(rawValue: 0)
            guard gtk_accelerator_parse(text, &key, &modifiers) != 0 else { return nil }
            self.init(key, modifiers)
        }
    }

    private var actions: [Chord: String] = [:]

    /// - Parameter lines: later ones take precedence.
    init(_ lines: [Line]) {
        for line in lines {
            for case let chord? in line.keys.map(Chord.init) { actions[chord] = line.action }
        }
    }

    subscript(chord: Chord) -> String? { actions[chord] }
}
#endif
