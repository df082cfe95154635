#if GTK
import CGTK4
import FirnGTK

/// Accepts files, folders and addresses that file managers and browsers drop on a widget.
@MainActor
enum DropZone {
    /// Calls `body` with the paths and addresses that are dropped on a widget.
    static func attach(to widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor ([String]) -> Void) {
        guard let target = target(body) else { return }
        // The widget owns it.
        gtk_widget_add_controller(widget, target)
    }

    /// Returns the drop target. The caller owns it.
    static func target(_ body: @escaping @MainActor ([String]) -> Void) -> OpaquePointer? {
        guard let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY) else { return nil }
        // Order: the list of files takes precedence over text; a browser offers an image's address as text as well.
        var types = [gdk_file_list_get_type(), .string]
        gtk_drop_target_set_gtypes(target, &types, gsize(types.count))
        let call: @MainActor @convention(c) (gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?) -> gboolean =
            {
                guard let value = $1, let body: @MainActor ([String]) -> Void = SignalClosure.body($4) else { return 0 }
                body(DropZone.sources(of: value))
                return 1
            }
        SignalClosure.connect(UnsafeMutableRawPointer(target), "drop", calling: call, with: body)
        return target
    }

    /// Returns the paths, and the addresses of files that are not on this machine.
    static func sources(of value: UnsafePointer<GValue>) -> [String] {
        if g_type_check_value_holds(value, .string) != 0 {
            guard let text = g_value_get_string(value) else { return [] }
            return sources(ofText: String(cString: text))
        }
        guard let list = g_value_get_boxed(value) else { return [] }
        let files = gdk_file_list_get_files(OpaquePointer(list))
        defer { g_slist_free(files) }
        var sources: [String] = []
        var next = files
        while let entry = next?.pointee {
            if let file = entry.data.map({ OpaquePointer($0) }),
                let words = GLibText.taken(g_file_get_path(file) ?? g_file_get_uri(file))
            {
                sources.append(words)
            }
            next = entry.next
        }
        return sources
    }

    /// Returns the lines of a text that are paths or addresses. Skips others, and comments in a list of addresses.
    static func sources(ofText text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = String(line)
            if line.hasPrefix("file:") { return GLibText.taken(g_filename_from_uri(line, nil, nil)) }
            let isSource = ["/", "http://", "https://", "data:"].contains { line.hasPrefix($0) }
            return isSource ? line : nil
        }
    }
}
#endif
