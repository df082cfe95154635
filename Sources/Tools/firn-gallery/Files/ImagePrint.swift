#if GTK
import CGTK4
import FirnGTK

/// Prints an image on one page, as large as fits.
@MainActor
enum ImagePrint {
    /// The longest side that is printed: that of a page of A4 at 300 dots an inch.
    static let maximumSide = 3_508

    /// Prints an image. Returns a failure's reason.
    ///
    /// - Parameter file: the path of a PDF to write. Default: `nil`, the user is asked for a printer.
    /// - Throws: an error if the image cannot be a texture.
    static func run(
        _ image: Bitmap, name: String, over window: UnsafeMutablePointer<GtkWindow>?, to file: String? = nil
    ) throws -> String? {
        let texture = try ImageTexture.of(image)
        guard let operation = gtk_print_operation_new() else { throw BitmapError.unusable(image.size) }
        defer { g_object_unref(operation) }
        gtk_print_operation_set_job_name(operation, name)
        gtk_print_operation_set_n_pages(operation, 1)
        let setup: OpaquePointer = gtk_page_setup_new()
        let isWide = image.size.width > image.size.height
        gtk_page_setup_set_orientation(
            setup, isWide ? GTK_PAGE_ORIENTATION_LANDSCAPE : GTK_PAGE_ORIENTATION_PORTRAIT)
        gtk_print_operation_set_default_page_setup(operation, setup)
        g_object_unref(UnsafeMutableRawPointer(setup))
        typealias Body = @MainActor (OpaquePointer) -> Void
        let call: @MainActor @convention(c) (gpointer?, OpaquePointer?, gint, gpointer?) -> Void = {
            if let context = $1 { (SignalClosure.body($3) as Body?)?(context) }
        }
        let body: Body = { ImagePrint.draw(texture, on: $0) }
        SignalClosure.connect(UnsafeMutableRawPointer(operation), "draw-page", calling: call, with: body)
        var error: UnsafeMutablePointer<GError>?
        file.map { gtk_print_operation_set_export_filename(operation, $0) }
        let action = file == nil ? GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG : GTK_PRINT_OPERATION_ACTION_EXPORT
        gtk_print_operation_run(operation, action, window, &error)
        defer { g_clear_error(&error) }
        return error.map { String(cString: $0.pointee.message) }
    }

    private static func draw(_ texture: ImageTexture, on context: OpaquePointer) {
        guard let canvas = gtk_print_context_get_cairo_context(context) else { return }
        let (width, height) = (gdk_texture_get_width(texture.pointer), gdk_texture_get_height(texture.pointer))
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height),
            let pixels = cairo_image_surface_get_data(surface)
        else { return }
        defer { cairo_surface_destroy(surface) }
        cairo_surface_flush(surface)
        gdk_texture_download(texture.pointer, pixels, gsize(cairo_image_surface_get_stride(surface)))
        cairo_surface_mark_dirty(surface)
        let room = (gtk_print_context_get_width(context), gtk_print_context_get_height(context))
        let scale = min(room.0 / Double(width), room.1 / Double(height))
        cairo_translate(canvas, (room.0 - Double(width) * scale) / 2, (room.1 - Double(height) * scale) / 2)
        cairo_scale(canvas, scale, scale)
        cairo_set_source_surface(canvas, surface, 0, 0)
        cairo_paint(canvas)
    }
}
#endif
