#if GTK
import CGTK4
import FirnImage

/// A screenshot of a window.
@MainActor
final class Shot {
    let width: Int
    let height: Int
    private let bytes: [UInt8]
    private let texture: OpaquePointer

    init(_ texture: OpaquePointer) {
        self.texture = texture
        width = Int(gdk_texture_get_width(texture))
        height = Int(gdk_texture_get_height(texture))
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        gdk_texture_download(texture, &bytes, gsize(width * 4))
        self.bytes = bytes
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(texture)) }

    func save(_ path: String) { gdk_texture_save_to_png(texture, path) }

    /// Returns the color of a pixel: red, green, blue, alpha.
    func color(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        guard x >= 0, y >= 0, x < width, y < height else { return .zero }
        let at = (y * width + x) * 4
        return SIMD4(bytes[at + 2], bytes[at + 1], bytes[at], bytes[at + 3])
    }

    /// Returns the number of the image painted in a rectangle; `nil` if there is none.
    func number(x: Int, y: Int, width: Int, height: Int) -> Int? {
        let left = color(x + width / 4, y + height / 2)
        let right = color(x + width * 3 / 4, y + height / 2)
        return NumberedImage.number(left: left, right: right)
    }

    /// Returns the number of the image that a widget shows.
    func number(of widget: UnsafeMutablePointer<GtkWidget>, in window: SceneWindow) -> Int? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, window.widget, &bounds) != 0 else { return nil }
        return number(
            x: Int(bounds.origin.x), y: Int(bounds.origin.y), width: Int(bounds.size.width),
            height: Int(bounds.size.height))
    }
}
#endif
