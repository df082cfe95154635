#if GTK
import CFirnAdwaita
import FirnGTK

/// The window's actions, which menus, buttons and keys perform by name.
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

    /// Adds an action whose state is one of several strings. `body` gets the new one.
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
        SignalClosure.connectObject(UnsafeMutableRawPointer(action), "change-state") { [unowned self] state in
            self.set(name, to: state)
            body(state)
        }
        insert(action)
    }

    /// Performs an action as a menu does.
    func perform(_ name: String) { g_action_group_activate_action(group, name, nil) }

    /// Turns a toggle on or off as a menu does.
    func turn(_ name: String, on isOn: Bool) {
        g_action_group_change_action_state(group, name, g_variant_new_boolean(isOn ? 1 : 0))
    }

    /// Returns whether a toggle is on.
    func isOn(_ name: String) -> Bool {
        guard let state = g_action_group_get_action_state(group, name) else { return false }
        defer { g_variant_unref(state) }
        return g_variant_get_boolean(state) != 0
    }

    /// Sets the state of a choice without calling its closure.
    func show(_ name: String, _ chosen: String) { set(name, to: g_variant_new_string(chosen)) }

    /// Sets the state of a toggle without calling its closure.
    func show(_ name: String, isOn: Bool) { set(name, to: g_variant_new_boolean(isOn ? 1 : 0)) }

    /// Enables or disables actions, with their buttons and menu items.
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

/// Creates menus of the window's actions.
@MainActor
enum GalleryMenu {
    /// Creates a menu of sections. An action may have a target: `sort::name`. The caller owns the menu.
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

/// Maps keys to actions. Also has the groups of the shortcuts window.
struct KeyTable {
    /// A line of the shortcuts window.
    struct Line {
        let action: String
        let title: String
        /// The keys, in the syntax of `gtk_accelerator_parse`. The first is shown.
        let keys: [String]

        init(_ action: String, _ title: String, _ keys: String...) {
            (self.action, self.title, self.keys) = (action, title, keys)
        }
    }

    /// Keys for all pages, for the grid, and for the large image.
    static let everywhere = [
        Line("open", tr("Open a folder"), "<Control>o"),
        Line("fullscreen", tr("Full screen"), "F11"),
        Line("undo", tr("Undo the latest change of files"), "<Control>z"),
        Line("rename", tr("Rename"), "F2"),
        Line("move", tr("Move to a folder"), "<Control>m"),
        Line("copy-to", tr("Copy to a folder"), "<Control><Shift>m"),
        Line("rotate.right", tr("Rotate right"), "<Control>r"),
        Line("rotate.left", tr("Rotate left"), "<Control><Shift>r"),
        Line("flip.across", tr("Flip left to right"), "h"),
        Line("flip.down", tr("Flip top to bottom"), "v"),
        Line("compare", tr("Compare two images"), "b"),
        Line("shortcuts", tr("Keyboard shortcuts"), "<Control>question", "<Control>slash"),
        Line("dark", tr("Dark or light"), "<Control>d"),
        Line("close", tr("Close"), "<Control>w", "<Control>q"),
    ]
    static let grid = [
        Line("search", tr("Search by name"), "<Control>f"),
        Line("larger", tr("Larger images"), "<Control>plus", "<Control>equal", "<Control>KP_Add"),
        Line("smaller", tr("Smaller images"), "<Control>minus", "<Control>KP_Subtract"),
        Line("copy", tr("Copy"), "<Control>c"),
        Line("select-all", tr("Select all"), "<Control>a"),
        Line("select", tr("Select by clicking"), "s"),
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
        Line("zoom.fill", tr("Fill the window"), "2", "<Control>2"),
        Line("keep-zoom", tr("Keep the zoom for other images"), "k"),
        Line("pixels", tr("Sharp pixels from 200 % on"), "s"),
        Line("pause", tr("Pause animations"), "p"),
        Line("step.next", tr("Next frame of the animation"), "period"),
        Line("step.previous", tr("Previous frame of the animation"), "comma"),
        Line("slide-time", tr("Slide show: longer or shorter"), "<Control>F5"),
        Line("shuffle", tr("Slide show: random order"), "<Shift>F5"),
        Line("save-part", tr("Save the visible part as a new file"), "<Control>s"),
        Line("crop", tr("Crop to a new file"), "c"),
        Line("print", tr("Print"), "<Control>p"),
        Line("info", tr("Information"), "i", "F9"),
        Line("copy", tr("Copy"), "<Control>c"),
        Line("trash", tr("Move to the trash"), "Delete"),
        Line("retry", tr("Try again"), "r"),
        Line("slides", tr("Slide show"), "F5"),
        Line("search", tr("Search by name"), "<Control>f"),
        Line("back", tr("Back to the grid"), "Escape", "BackSpace"),
    ]

    /// Keys that move a zoomed image, in addition to ``viewer``.
    static let zoomed = [
        Line("pan.left", tr("Move left"), "Left", "KP_Left"),
        Line("pan.right", tr("Move right"), "Right", "KP_Right"),
        Line("pan.up", tr("Move up"), "Up", "KP_Up"),
        Line("pan.down", tr("Move down"), "Down", "KP_Down"),
        Line("pan.start", tr("Move to the start"), "Home", "KP_Home"),
        Line("pan.end", tr("Move to the end"), "End", "KP_End"),
    ]

    /// Keys of the crop tool, which handles the arrows itself.
    static let crop = [
        Line("crop-save", tr("Save as a new file"), "Return", "KP_Enter"),
        Line("crop-move", tr("Move the rectangle"), "Right"),
        Line("crop-size", tr("Change its size"), "<Shift>Right"),
        Line("crop-pixel", tr("By one pixel"), "<Control>Right"),
        Line("crop-leave", tr("Leave without saving"), "Escape"),
    ]

    /// A key with its modifiers, and letters in lower case.
    struct Chord: Hashable {
        let key: UInt32
        let modifiers: UInt32

        var isControl: Bool { modifiers & GDK_CONTROL_MASK.rawValue != 0 }
        var isShift: Bool { modifiers & GDK_SHIFT_MASK.rawValue != 0 }

        /// Ignores Shift except for letters and function keys: `plus` needs it on some keyboards only.
        init(_ key: UInt32, _ modifiers: GdkModifierType) {
            let lower = gdk_keyval_to_lower(key)
            let isNamed = key > 0xFF00 || gdk_keyval_to_upper(lower) != lower
            self.key = lower
            self.modifiers =
                modifiers.rawValue & (GDK_CONTROL_MASK.rawValue | (isNamed ? GDK_SHIFT_MASK.rawValue : 0))
        }

        /// Exchanges Left and Right, as in a layout from right to left.
        var mirrored: Chord {
            let other = [UInt32(GDK_KEY_Left): UInt32(GDK_KEY_Right), UInt32(GDK_KEY_Right): UInt32(GDK_KEY_Left)][key]
            return other.map { Chord($0, GdkModifierType(rawValue: modifiers)) } ?? self
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

/// The window about the program.
@MainActor
enum AboutWindow {
    static func present(over parent: UnsafeMutablePointer<GtkWindow>) {
        let about: Widget = adw_about_window_new()
        let window = about.opaque
        adw_about_window_set_application_name(window, tr("Gallery"))
        adw_about_window_set_application_icon(window, "firn-gallery")
        adw_about_window_set_developer_name(window, tr("The Firn authors"))
        adw_about_window_set_version(window, FirnVersion.current)
        adw_about_window_set_comments(window, tr("Browse large folders of images without waiting"))
        adw_about_window_set_license_type(window, GTK_LICENSE_MIT_X11)
        gtk_window_set_transient_for(about.cast(), parent)
        gtk_window_present(about.cast())
    }
}

/// The window that shows the keys.
@MainActor
enum ShortcutsWindow {
    static func present(over parent: UnsafeMutablePointer<GtkWindow>) {
        let isZoom = { (line: KeyTable.Line) in ["zoom", "keep", "pixe"].contains(line.action.prefix(4)) }
        let sections = [
            (tr("Grid"), [(tr("General"), KeyTable.everywhere), (tr("Grid"), KeyTable.grid)]),
            (
                tr("Large Image"),
                [
                    (tr("Large Image"), KeyTable.viewer.filter { !isZoom($0) }),
                    (tr("Zoomed Image"), KeyTable.viewer.filter(isZoom) + KeyTable.zoomed), (tr("Crop"), KeyTable.crop),
                ]
            ),
        ]
        let body = sections.map { name, groups in
            let groups = groups.map { title, lines in
                let rows = lines.map { line in
                    let accelerator = property("accelerator", line.keys.first ?? "")
                    return object("GtkShortcutsShortcut", property("title", line.title) + accelerator)
                }
                return object("GtkShortcutsGroup", property("title", title) + rows.joined())
            }
            // On one page, since GTK 4.8 warns about the buttons of pages.
            let head = property("section-name", name) + property("title", name) + property("max-height", "22")
            return object("GtkShortcutsSection", head + groups.joined())
        }
        let text =
            "<interface><object class=\"GtkShortcutsWindow\" id=\"window\">"
            + "<property name=\"modal\">1</property>\(body.joined())</object></interface>"
        guard let builder = gtk_builder_new_from_string(text, -1) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(builder)) }
        guard let object = gtk_builder_get_object(builder, "window") else { return }
        let window = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_transient_for(window, parent)
        gtk_window_present(window)
    }

    private static func object(_ name: String, _ content: String) -> String {
        "<child><object class=\"\(name)\">\(content)</object></child>"
    }

    private static func property(_ name: String, _ value: String) -> String {
        "<property name=\"\(name)\">\(GLibText.string(freeing: g_markup_escape_text(value, -1)) ?? "")</property>"
    }
}
#endif
