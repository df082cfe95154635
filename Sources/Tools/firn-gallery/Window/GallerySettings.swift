#if GTK
import CGTK4
import Firn

/// The settings that the program remembers, in a key file.
struct GallerySettings: Equatable {
    /// The order of folders.
    var order = GalleryOrder.name
    var isReversed = false
    /// The size of the window, in GTK's units.
    var size = PixelSize(width: 1_150, height: 800)
    var isMaximized = false
    /// The actions that are on, of ``toggles``.
    var active: Set<String> = []

    /// The actions whose states are remembered.
    static let toggles = ["info", "pixels", "keep-zoom"]
    private static let group = "Gallery"

    /// The path of the file, `firn-gallery/settings.ini` in `$XDG_CONFIG_HOME`.
    static var path: String? {
        g_get_user_config_dir().map { PathText.join(String(cString: $0), "firn-gallery/settings.ini") }
    }

    init() {}

    /// Reads the settings. Missing and unusable ones, also of a damaged file, have their defaults.
    init(path: String) {
        GallerySettings.withFile(path) { file in
            func number(_ key: String) -> Int { Int(g_key_file_get_integer(file, GallerySettings.group, key, nil)) }
            func isOn(_ key: String) -> Bool { g_key_file_get_boolean(file, GallerySettings.group, key, nil) != 0 }
            let order = GLibText.string(freeing: g_key_file_get_string(file, GallerySettings.group, "sort", nil))
            self.order = order.flatMap(GalleryOrder.init) ?? .name
            isReversed = isOn("reversed")
            let stored = PixelSize(width: number("width"), height: number("height"))
            if (1...32_000).contains(stored.width), (1...32_000).contains(stored.height) { size = stored }
            isMaximized = isOn("maximized")
            active = Set(GallerySettings.toggles.filter(isOn))
        }
    }

    /// Writes the settings. Keeps those of other versions in the file. A folder that cannot be written is no reason for
    /// a message at the end of the program.
    func save(to path: String) {
        GallerySettings.withFile(path) { file in
            let group = GallerySettings.group
            g_key_file_set_string(file, group, "sort", order.rawValue)
            g_key_file_set_integer(file, group, "width", gint(clamping: size.width))
            g_key_file_set_integer(file, group, "height", gint(clamping: size.height))
            let states = GallerySettings.toggles.map { ($0, active.contains($0)) }
            for (key, isOn) in states + [("reversed", isReversed), ("maximized", isMaximized)] {
                g_key_file_set_boolean(file, group, key, isOn ? 1 : 0)
            }
            _ = PathText.parent(path).withSystemPath { g_mkdir_with_parents($0, 0o700) }
            _ = path.withSystemPath { g_key_file_save_to_file(file, $0, nil) }
        }
    }

    /// Calls `body` with the content of a file; empty if there is no such file or if it is damaged.
    private static func withFile(_ path: String, _ body: (OpaquePointer) -> Void) {
        guard let file = g_key_file_new() else { return }
        defer { g_key_file_unref(file) }
        _ = path.withSystemPath { g_key_file_load_from_file(file, $0, G_KEY_FILE_KEEP_COMMENTS, nil) }
        body(file)
    }

    /// The size of the window on a display whose largest monitor may be smaller than the former one.
    @MainActor var fittedSize: PixelSize {
        guard let display = gdk_display_get_default(), let monitors = gdk_display_get_monitors(display) else {
            return size
        }
        var most = PixelSize(width: 0, height: 0)
        for index in 0..<g_list_model_get_n_items(monitors) {
            guard let monitor = g_list_model_get_item(monitors, index) else { continue }
            defer { g_object_unref(monitor) }
            var area = GdkRectangle()
            gdk_monitor_get_geometry(OpaquePointer(monitor), &area)
            most = PixelSize(width: max(most.width, Int(area.width)), height: max(most.height, Int(area.height)))
        }
        guard !most.isEmpty else { return size }
        return PixelSize(width: min(size.width, most.width), height: min(size.height, most.height))
    }
}
#endif
