#if GTK
import CGTK4
import FirnImage
import FirnSystem

/// A window on the display, and its content.
@MainActor
final class SceneWindow {
    let widget: UnsafeMutablePointer<GtkWidget>
    private var window: UnsafeMutablePointer<GtkWindow> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
    }

    init(width: Int, height: Int, _ child: UnsafeMutablePointer<GtkWidget>) {
        widget = gtk_window_new()
        gtk_window_set_decorated(window, 0)
        gtk_window_set_default_size(window, gint(width), gint(height))
        gtk_window_set_child(window, child)
    }

    var frameCounter: Int64 {
        gtk_widget_get_frame_clock(widget).map { Int64(gdk_frame_clock_get_frame_counter($0)) } ?? 0
    }

    /// Shows the window.
    func show() { gtk_window_present(window) }

    /// Shows the window, and waits until it is mapped.
    func present(_ checks: Checks) async {
        show()
        await checks.wait("the window appears") { gtk_widget_get_mapped(self.widget) != 0 && self.frameCounter > 0 }
    }

    func resize(width: Int, height: Int) { gtk_window_set_default_size(window, gint(width), gint(height)) }

    func close() { gtk_window_destroy(window) }

    /// Returns the present content of the window; `nil` if there is none.
    func shot() -> Shot? {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(OpaquePointer(widget)) else { return nil }
        var bounds = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
        guard let texture = gsk_renderer_render_texture(renderer, node, &bounds) else { return nil }
        return Shot(texture)
    }
}
#endif
