// Shows images and their paths in a list of a GtkApplication:  gtk-list [--once] FILE…
//
// With --once, the program exits when the visible rows show their images.

// snippet.gtk-application
import CGTK4
import FirnGTK
import Glibc

var paths = Array(CommandLine.arguments.dropFirst())
let isOnce = paths.first == "--once"
if isOnce { paths.removeFirst() }

// Before GTK: pipeline and context need neither gtk_init nor a display.
GLibMainExecutor.install()
let context = BindingContext.gtk(pipeline: .shared)

// Widgets need GTK, which the application starts before it emits `activate`.
// The objects live as long as the program.
typealias Application = UnsafeMutablePointer<GtkApplication>
var factory: ImageListFactory?
var scroll: ImageListScroll?
let activated: @MainActor @convention(c) (Application?, gpointer?) -> Void = {
    application, _ in
    guard let application else { return }
    let rows = ImageListFactory(context: context, makeCell: row(around:)) { item in
        ImageRequest(path: item.string)
    }
    rows.cellSize = PixelSize(width: 96, height: 64)
    rows.didMakeCell = { image in
        image.onPhaseChange = { _ in endIfComplete(application) }
    }
    rows.didBind = { image, item in
        guard let label = gtk_widget_get_last_child(item.cell) else { return }
        gtk_label_set_text(label.opaque, item.string)
        image.alternativeText = item.string
    }
    factory = rows
    show(rows, in: application)
}

/// Returns a row with the image and a label.
@MainActor func row(around image: FirnPicture) -> UnsafeMutablePointer<GtkWidget> {
    guard let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12),
        let label = gtk_label_new(nil)
    else { return image.widget }
    row.append(image)
    row.append(label)
    return row
}

/// Shows the list in a window of the application.
@MainActor func show(_ rows: ImageListFactory, in application: Application) {
    let model = gtk_string_list_new(nil)
    for path in paths { gtk_string_list_append(model, path) }
    g_object_ref(UnsafeMutableRawPointer(rows.pointer))
    guard let list = gtk_list_view_new(gtk_no_selection_new(model), rows.pointer),
        let scrolled = gtk_scrolled_window_new(),
        let window = gtk_application_window_new(application)
    else { return }
    gtk_scrolled_window_set_child(scrolled.opaque, list)
    scroll = ImageListScroll(
        of: rows, in: scrolled, itemCount: paths.count
    ) { place in
        ImageRequest(path: paths[place])
    }
    let frame = window.cast(GtkWindow.self)
    gtk_window_set_default_size(frame, 600, 400)
    gtk_window_set_child(frame, scrolled)
    gtk_window_present(frame)
}

/// With --once, prints the shown images and exits when all rows show theirs.
@MainActor func endIfComplete(_ application: Application) {
    guard isOnce, let factory, let scroll, !scroll.visible.isEmpty else { return }
    let cells = scroll.visible.compactMap { factory.cell(at: $0) }
    let shown = cells.compactMap { $0.binding.phase.response }
    guard shown.count == scroll.visible.count else { return }
    for response in shown { print("\(response.request): \(response.image.size)") }
    g_application_quit(base(application))
}

/// Casts the application to its base class.
func base(_ application: Application) -> UnsafeMutablePointer<GApplication> {
    UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
}

let name = "org.example.list"
guard let application = gtk_application_new(name, G_APPLICATION_NON_UNIQUE) else {
    exit(1)
}
g_signal_connect_data(
    UnsafeMutableRawPointer(application), "activate",
    unsafeBitCast(activated, to: GCallback.self), nil, nil,
    GConnectFlags(rawValue: 0))
exit(g_application_run(base(application), 0, nil))
// snippet.end
