#if GTK
import CGTK4

/// The keys of the gallery: which action a key performs, and the groups in which the window of shortcuts shows them.
struct KeyTable {
    /// One line of the window of shortcuts.
    struct Line {
        let action: String
        let title: String
        /// The keys as `gtk_accelerator_parse` reads them, the first of which is shown.
        let keys: [String]

        init(_ action: String, _ title: String, _ keys: String...) {
            self.action = action
            self.title = title
            self.keys = keys
        }
    }

    /// Keys that work everywhere; with the grid; with the large image.
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

    /// A key with its modifiers, and letters in lower case.
    struct Chord: Hashable {
        let key: UInt32
        let modifiers: UInt32

        var isControl: Bool { modifiers & GDK_CONTROL_MASK.rawValue != 0 }
        var isShift: Bool { modifiers & GDK_SHIFT_MASK.rawValue != 0 }

        /// Shift counts only for letters and function keys: `plus` needs it on some keyboards and not on others.
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
