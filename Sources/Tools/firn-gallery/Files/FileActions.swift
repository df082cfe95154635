#if GTK
import CGTK4
import FirnGTK

/// Actions on files by means of other programs.
@MainActor
enum FileActions {
    /// Copies files, or addresses, to the clipboard. The pixels of a single image follow once they are decoded, unless
    /// something else was copied meanwhile.
    static func copy(
        _ images: [GalleryImage], from widget: Widget, pixels request: ImageRequest?, _ pipeline: ImagePipeline
    ) {
        let (files, text) = (images.compactMap(\.path), images.map(\.source).joined(separator: "\n"))
        guard let clipboard = gtk_widget_get_clipboard(widget) else { return }
        func set(_ image: Bitmap?) -> DragSource.Content? {
            guard let content = DragSource.content(files, text: text, image: image) else { return nil }
            defer { g_object_unref(content) }
            gdk_clipboard_set_content(clipboard, content)
            return content
        }
        guard let content = set(nil), images.count == 1, let request else { return }
        Task {
            let image = try? await pipeline.image(for: request)
            if let image, gdk_clipboard_get_content(clipboard) == content { _ = set(image) }
        }
    }

    /// Lets the user choose a program, by the first file, and opens all files with it.
    static func openWith(_ paths: [String], _ window: UnsafeMutablePointer<GtkWindow>) {
        let files = paths.compactMap { $0.withSystemPath { g_file_new_for_path($0) } }
        guard let first = files.first else { return }
        let dialog: Widget = gtk_app_chooser_dialog_new(window, GTK_DIALOG_MODAL, first)
        SignalClosure.connectNumber(dialog.object, "response") { response in
            defer {
                for file in files { g_object_unref(UnsafeMutableRawPointer(file)) }
                gtk_window_destroy(dialog.cast())
            }
            guard Int32(bitPattern: response) == GTK_RESPONSE_OK.rawValue,
                let program = gtk_app_chooser_get_app_info(OpaquePointer(dialog))
            else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(program)) }
            var list: UnsafeMutablePointer<GList>?
            for file in files.reversed() { list = g_list_prepend(list, UnsafeMutableRawPointer(file)) }
            defer { g_list_free(list) }
            g_app_info_launch(program, list, nil, nil)
        }
        gtk_window_present(dialog.cast())
    }

    /// Selects a file in the file manager, or else opens its folder.
    static func showInFolder(_ path: String, _ window: UnsafeMutablePointer<GtkWindow>) {
        guard let address = path.withSystemPath({ g_filename_to_uri($0, nil, nil) }) else { return }
        defer { g_free(address) }
        if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) {
            defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
            var addresses: [UnsafePointer<CChar>?] = [UnsafePointer(address)]
            var parts = [g_variant_new_strv(&addresses, 1), g_variant_new_string("")]
            let result = g_dbus_connection_call_sync(
                bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1",
                "ShowItems", g_variant_new_tuple(&parts, 2), nil, G_DBUS_CALL_FLAGS_NONE, 2_000, nil, nil)
            if let result { return g_variant_unref(result) }
        }
        let parent = PathText.parent(path).withSystemPath { g_filename_to_uri($0, nil, nil) }
        guard let folder = GLibText.string(freeing: parent) else { return }
        gtk_show_uri(window, folder, guint(GDK_CURRENT_TIME))
    }

    /// Lets the user choose a folder.
    ///
    /// - Parameters:
    ///   - title: the title of the dialog.
    ///   - button: the text of the button that ends it.
    ///   - first: the folder that is shown first; `nil` for the dialog's choice.
    static func chooseFolder(
        _ window: UnsafeMutablePointer<GtkWindow>, _ title: String, button: String, first: String? = nil,
        _ body: @escaping @MainActor (String) -> Void
    ) {
        let dialog = gtk_file_chooser_native_new(
            title, window, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, button, tr("_Cancel"))
        guard let dialog else { return }
        if let folder = first?.withSystemPath({ g_file_new_for_path($0) }) {
            gtk_file_chooser_set_current_folder(dialog, folder, nil)
            g_object_unref(UnsafeMutableRawPointer(folder))
        }
        SignalClosure.connectNumber(UnsafeMutableRawPointer(dialog), "response") { response in
            defer { g_object_unref(UnsafeMutableRawPointer(dialog)) }
            guard Int32(bitPattern: response) == GTK_RESPONSE_ACCEPT.rawValue,
                let file = gtk_file_chooser_get_file(dialog)
            else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            if let path = GLibText.path(freeing: g_file_get_path(file)) { body(path) }
        }
        gtk_native_dialog_show(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkNativeDialog.self))
    }
}

/// Prints an image on one page, as large as fits.
@MainActor
enum ImagePrint {
    /// The maximum side in pixels: A4 at 300 dpi.
    static let maximumSide = 3_508

    /// Prints an image. Returns the reason of a failure.
    ///
    /// - Parameter file: the path of a PDF to write. Default: `nil`, the user is asked for a printer.
    /// - Throws: an error if no texture can be created.
    static func run(
        _ image: Bitmap, name: String, over window: UnsafeMutablePointer<GtkWindow>?, to file: String? = nil
    ) throws -> String? {
        let texture = try ImageTexture.of(image)
        guard let operation = gtk_print_operation_new() else { throw ImageError.unusable(image.size) }
        defer { g_object_unref(operation) }
        gtk_print_operation_set_job_name(operation, name)
        gtk_print_operation_set_n_pages(operation, 1)
        let setup: OpaquePointer = gtk_page_setup_new()
        let isWide = image.size.width > image.size.height
        gtk_page_setup_set_orientation(
            setup, isWide ? GTK_PAGE_ORIENTATION_LANDSCAPE : GTK_PAGE_ORIENTATION_PORTRAIT)
        gtk_print_operation_set_default_page_setup(operation, setup)
        g_object_unref(UnsafeMutableRawPointer(setup))
        let call: @MainActor @convention(c) (gpointer?, OpaquePointer?, gint, gpointer?) -> Void = {
            guard let context = $1, let texture: ImageTexture = SignalClosure.body($3) else { return }
            ImagePrint.draw(texture, on: context)
        }
        SignalClosure.connect(UnsafeMutableRawPointer(operation), "draw-page", calling: call, with: texture)
        var error: UnsafeMutablePointer<GError>?
        file.map { gtk_print_operation_set_export_filename(operation, $0) }
        let action = file == nil ? GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG : GTK_PRINT_OPERATION_ACTION_EXPORT
        gtk_print_operation_run(operation, action, window, &error)
        defer { g_clear_error(&error) }
        return error.map { String(cString: $0.pointee.message) }
    }

    private static func draw(_ texture: ImageTexture, on context: OpaquePointer) {
        guard let canvas = gtk_print_context_get_cairo_context(context) else { return }
        let (width, height) = (Double(texture.size.width), Double(texture.size.height))
        let room = (gtk_print_context_get_width(context), gtk_print_context_get_height(context))
        let scale = min(room.0 / width, room.1 / height)
        cairo_translate(canvas, (room.0 - width * scale) / 2, (room.1 - height * scale) / 2)
        cairo_scale(canvas, scale, scale)
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
        guard let node = gsk_texture_node_new(texture.pointer, &bounds) else { return }
        gsk_render_node_draw(node, canvas)
        gsk_render_node_unref(node)
    }
}
#endif
