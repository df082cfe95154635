#if GTK
import CGTK4
import Firn
import FirnReport

/// Screenshots of a window.
@MainActor
enum Screenshot {
    /// Saves a screenshot as JPEG or PNG, depending on the extension.
    ///
    /// - Returns: whether it was saved. Reports a failure on standard error.
    static func save(_ texture: OpaquePointer, to path: String) -> Bool {
        let isJPEG = path.hasSuffix(".jpg") || path.hasSuffix(".jpeg")
        do {
            let size = PixelSize(
                width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
            let image = try Bitmap(size: size, format: .bgra8Premultiplied, isOpaque: isJPEG) { pixels in
                gdk_texture_download(
                    texture, pixels.base.assumingMemoryBound(to: UInt8.self), gsize(pixels.bytesPerRow))
            }
            guard let encoder = ImageEncoders.encoder(for: isJPEG ? .jpeg : .png, quality: 0.88) else { return false }
            try OutputFile.write(encoder.encode(image), to: path)
            return true
        } catch {
            StandardError.line("firn-gallery: \(path): \(error)")
            return false
        }
    }

    /// Returns the current content of a window, with a reference for the caller; `nil` while it is about to be
    /// repainted.
    static func texture(of widget: UnsafeMutablePointer<GtkWidget>) -> OpaquePointer? {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        // The size includes the frame of the window. Another size would scale everything.
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(
            paintable, snapshot, Double(gdk_paintable_get_intrinsic_width(paintable)),
            Double(gdk_paintable_get_intrinsic_height(paintable)))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(OpaquePointer(widget)) else { return nil }
        return gsk_renderer_render_texture(renderer, node, nil)
    }
}

/// Writes reports.
enum ReportFile {
    /// Writes a report, or prints it without a file. Reports a failure on standard error.
    ///
    /// - Returns: whether it was written.
    static func write(_ json: JSONValue, to path: String?) -> Bool {
        guard let path else {
            print(json.text)
            return true
        }
        do {
            try OutputFile.write(Data((json.text + "\n").utf8), to: path)
            return true
        } catch {
            StandardError.line("firn-gallery: \(error)")
            return false
        }
    }
}

extension JSONValue {
    /// A number with one decimal; null if there is none.
    static func tenths(_ value: Double?) -> JSONValue { value.map { .double(($0 * 10).rounded() / 10) } ?? .null }

    /// A duration in milliseconds with one decimal; null if there is none.
    static func milliseconds(_ duration: Duration?) -> JSONValue { tenths(duration.map { $0 / .milliseconds(1) }) }

    /// Bytes in MiB with one decimal.
    static func mebibytes(_ bytes: Int) -> JSONValue { tenths(Double(bytes) / 1_048_576) }
}
#endif
