#if GTK
import CGTK4
import FirnGTK

/// Accepts files, folders and addresses that file managers and browsers drop on a widget.
@MainActor
enum DropZone {
    /// Passes the paths and addresses that are dropped on a widget to `body`.
    static func attach(to widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor ([String]) -> Void) {
        guard let target = target(body) else { return }
        // The widget owns it.
        gtk_widget_add_controller(widget, target)
    }

    /// Returns the drop target. The caller owns it.
    static func target(_ body: @escaping @MainActor ([String]) -> Void) -> OpaquePointer? {
        guard let target = gtk_drop_target_new(gdk_file_list_get_type(), GDK_ACTION_COPY) else { return nil }
        // Order: the list of files takes precedence over text, which browsers offer as well.
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

    /// Returns paths, and the addresses of remote files.
    static func sources(of value: UnsafePointer<GValue>) -> [String] {
        if g_type_check_value_holds(value, .string) != 0 {
            guard let text = g_value_get_string(value) else { return [] }
            return sources(ofText: String(cString: text))
        }
        guard let list = g_value_get_boxed(value) else { return [] }
        let files = gdk_file_list_get_files(OpaquePointer(list))
        defer { g_slist_free(files) }
        let pointers = sequence(state: files) { next in
            defer { next = next?.pointee.next }
            return next?.pointee.data
        }
        return pointers.map { OpaquePointer($0) }.compactMap {
            GLibText.path(freeing: g_file_get_path($0) ?? g_file_get_uri($0))
        }
    }

    /// Returns the lines of a text that are paths or addresses. Skips all others, such as comments.
    static func sources(ofText text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = String(line)
            if line.hasPrefix("file:") { return GLibText.path(freeing: g_filename_from_uri(line, nil, nil)) }
            let isSource = ["/", "http://", "https://", "data:"].contains { line.hasPrefix($0) }
            return isSource ? line : nil
        }
    }
}

/// Files that are dragged out of the window or copied.
@MainActor
enum DragSource {
    /// Lets the user drag files from a widget.
    ///
    /// - Parameters:
    ///   - image: the widget whose image is dragged with the pointer.
    ///   - onDrag: called with `true` when a drag begins and with `false` when it ends.
    ///   - files: returns the paths of the files when a drag begins; empty for no drag.
    static func attach(
        to widget: Widget, image: Widget, onDrag: @escaping @MainActor (Bool) -> Void,
        files: @escaping @MainActor () -> [String]
    ) {
        guard let source = gtk_drag_source_new() else { return }
        gtk_drag_source_set_actions(source, GDK_ACTION_COPY)
        SignalClosure.connect(UnsafeMutableRawPointer(source), "drag-begin") {
            DragSource.show(image, on: source)
            onDrag(true)
        }
        SignalClosure.connect(UnsafeMutableRawPointer(source), "drag-end") { onDrag(false) }
        let call: @MainActor @convention(c) (OpaquePointer?, Double, Double, gpointer?) -> Content? = {
            (SignalClosure.body($3) as (@MainActor () -> [String])?).flatMap { DragSource.content($0()) }
        }
        SignalClosure.connect(UnsafeMutableRawPointer(source), "prepare", calling: call, with: files)
        gtk_widget_add_controller(widget, source)
    }

    /// Sets the content of a widget as the drag icon, with the pointer at its center.
    private static func show(_ image: Widget, on source: OpaquePointer) {
        guard let live = gtk_widget_paintable_new(image) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(live)) }
        guard let still = gdk_paintable_get_current_image(live) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(still)) }
        gtk_drag_source_set_icon(source, still, gtk_widget_get_width(image) / 2, gtk_widget_get_height(image) / 2)
    }

    typealias Content = UnsafeMutablePointer<GdkContentProvider>

    /// Returns files, a text (by default their paths) and an image for the clipboard or a drag. The caller owns the
    /// result, which is `nil` if there are neither files nor a text.
    static func content(_ paths: [String], text words: String? = nil, image: Bitmap? = nil) -> Content? {
        let words = words ?? paths.joined(separator: "\n")
        guard !words.isEmpty else { return nil }
        var files = paths.map {
            $0.withSystemPath { UnsafeMutableRawPointer(g_file_new_for_path($0)).map { OpaquePointer($0) } }
        }
        defer { for case let file? in files { g_object_unref(UnsafeMutableRawPointer(file)) } }
        var providers = [provider(.string) { g_value_set_string($0, words) }]
        if !paths.isEmpty {
            let list = gdk_file_list_new_from_array(&files, gsize(files.count))
            let value = provider(gdk_file_list_get_type()) { g_value_take_boxed($0, UnsafeRawPointer(list)) }
            providers.insert(value, at: 0)
        }
        if let texture = image.flatMap({ try? ImageTexture.of($0) }) {
            let object = UnsafeMutableRawPointer(texture.pointer)
            providers.append(provider(gdk_texture_get_type()) { g_value_set_object($0, object) })
        }
        return gdk_content_provider_new_union(&providers, gsize(providers.count))
    }

    private static func provider(_ type: GType, _ set: (UnsafeMutablePointer<GValue>) -> Void) -> Content? {
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        set(&value)
        return gdk_content_provider_new_for_value(&value)
    }
}
#endif
