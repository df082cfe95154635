import CGTK4
import Firn
import FirnReport

/// What a window looks like, as a file.
@MainActor
enum Screenshot {
    /// Saves a window's content; as JPEG where the name ends so, else as PNG.
    static func save(_ widget: UnsafeMutablePointer<GtkWidget>, to path: String) {
        guard let texture = texture(of: widget) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        guard path.hasSuffix(".jpg") || path.hasSuffix(".jpeg") else {
            gdk_texture_save_to_png(texture, path)
            return
        }
        do {
            let size = PixelSize(
                width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
            let picture = try Bitmap(size: size, format: .bgra8Premultiplied, isOpaque: true) { pixels in
                gdk_texture_download(
                    texture, pixels.base.assumingMemoryBound(to: UInt8.self), gsize(pixels.bytesPerRow))
            }
            guard let encoder = ImageEncoders.encoder(for: .jpeg, quality: 0.88) else { return }
            try OutputFile.write(encoder.encode(picture), to: path)
        } catch {
            StandardErrorLine.write("firn-gallery: \(path): \(error)")
        }
    }

    private static func texture(of widget: UnsafeMutablePointer<GtkWidget>) -> OpaquePointer? {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(
            paintable, snapshot, Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(OpaquePointer(widget)) else { return nil }
        return gsk_renderer_render_texture(renderer, node, nil)
    }
}
