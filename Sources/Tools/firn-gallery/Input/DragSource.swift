#if GTK
import CGTK4
import FirnGTK

/// Files that are dragged out of the window or copied.
@MainActor
enum DragSource {
    /// Lets the user drag files from a widget.
    ///
    /// - Parameters:
    ///   - image: the widget whose image is dragged with the pointer.
    ///   - onDrag: called with `true` when a drag begins and with `false` when it ends.
    ///   - files: returns the paths of the files when a drag begins, and none for no drag.
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

    /// Has a drag show what a widget shows, held at its center.
    private static func show(_ image: Widget, on source: OpaquePointer) {
        guard let live = gtk_widget_paintable_new(image) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(live)) }
        guard let still = gdk_paintable_get_current_image(live) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(still)) }
        gtk_drag_source_set_icon(source, still, gtk_widget_get_width(image) / 2, gtk_widget_get_height(image) / 2)
    }

    typealias Content = UnsafeMutablePointer<GdkContentProvider>

    /// Returns files, and their paths as text, for a clipboard or a drop. The caller owns it.
    static func content(_ paths: [String]) -> Content? {
        guard !paths.isEmpty else { return nil }
        var files = paths.map { UnsafeMutableRawPointer(g_file_new_for_path($0)).map { OpaquePointer($0) } }
        defer { for case let file? in files { g_object_unref(UnsafeMutableRawPointer(file)) } }
        var list = GValue()
        g_value_init(&list, gdk_file_list_get_type())
        g_value_take_boxed(&list, UnsafeRawPointer(gdk_file_list_new_from_array(&files, gsize(files.count))))
        var text = GValue()
        g_value_init(&text, GType.string)
        g_value_set_string(&text, paths.joined(separator: "\n"))
        defer {
            g_value_unset(&list)
            g_value_unset(&text)
        }
        var providers = [gdk_content_provider_new_for_value(&list), gdk_content_provider_new_for_value(&text)]
        return gdk_content_provider_new_union(&providers, gsize(providers.count))
    }
}
#endif
