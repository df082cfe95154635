// Shows images in libadwaita rows:  gtk-adwaita [--once] FILE…
//
// With --once, the program exits when all rows show their images.

// snippet.gtk-adwaita
import CAdwaita
import CGTK4
import FirnGTK
import Glibc

var paths = Array(CommandLine.arguments.dropFirst())
let isOnce = paths.first == "--once"
if isOnce { paths.removeFirst() }

// Before GTK: pipeline and context need neither gtk_init nor a display.
GLibMainExecutor.install()
let context = BindingContext.gtk(pipeline: .shared)
var images: [FirnPicture] = []

/// Casts the application to its base class.
func base(_ it: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GApplication> {
    it.assumingMemoryBound(to: GApplication.self)
}

// libadwaita and GTK are initialized before the application emits `activate`.
typealias Application = UnsafeMutablePointer<GtkApplication>
let activated: @MainActor @convention(c) (Application?, gpointer?) -> Void = {
    application, _ in
    guard let application, let list = gtk_list_box_new(),
        let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
        let header = adw_header_bar_new(),
        let window = adw_application_window_new(application)
    else { return }
    gtk_widget_add_css_class(list, "boxed-list")
    for path in paths {
        guard let row = adw_action_row_new() else { continue }
        let image = FirnPicture(context: context)
        image.naturalSize = PixelSize(48)
        image.cornerRadius = 6
        image.alternativeText = path
        image.onPhaseChange = { _ in endIfComplete(application) }
        image.request = ImageRequest(path: path)
        images.append(image)
        adw_preferences_row_set_title(row.cast(), path)
        adw_action_row_add_prefix(row.cast(), image.widget)
        gtk_list_box_append(list.opaque, row)
    }
    column.append(header)
    column.append(list)
    adw_application_window_set_content(window.cast(), column)
    gtk_window_present(window.cast())
}

/// With --once, prints the shown images and exits when all rows show theirs.
@MainActor func endIfComplete(_ application: Application) {
    let shown = images.compactMap { $0.binding.phase.response }
    guard isOnce, shown.count == paths.count else { return }
    for response in shown { print("\(response.request): \(response.image.size)") }
    g_application_quit(base(application))
}

let name = "org.example.adwaita"
guard let application = adw_application_new(name, G_APPLICATION_NON_UNIQUE) else {
    exit(1)
}
g_signal_connect_data(
    UnsafeMutableRawPointer(application), "activate",
    unsafeBitCast(activated, to: GCallback.self), nil, nil,
    GConnectFlags(rawValue: 0))
exit(g_application_run(base(application), 0, nil))
// snippet.end
