// Shows images in a window:  gtk-window [--once] FILE…
//
// With --once it ends when all of them are shown or have failed.
import CGTK4
import Firn
import FirnGTK
import Glibc

var paths = Array(CommandLine.arguments.dropFirst())
let isOnce = paths.first == "--once"
if isOnce { paths.removeFirst() }
guard gtk_init_check() != 0 else {
    print("gtk-window: there is no display")
    exit(1)
}
// Once, before the loop runs: await and the main actor work in GLib's loop from now on.
GLibMainExecutor.install()

// GTK's C types know no inheritance: what is a widget and a box, or a window, is told to Swift by its address.
func cast<Widget>(_ widget: UnsafeMutablePointer<GtkWidget>, to type: Widget.Type) -> UnsafeMutablePointer<Widget> {
    UnsafeMutableRawPointer(widget).assumingMemoryBound(to: type)
}

guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8), let widget = gtk_window_new() else { exit(1) }
let window = cast(widget, to: GtkWindow.self)
let context = BindingContext.gtk(pipeline: .shared)  // one for a window or a list
var settled = 0
let images = paths.map { path in
    let image = FirnPicture(context: context)
    image.cornerRadius = 8
    image.alternativeText = path
    image.onPhaseChange = { phase in
        switch phase {
        case .displayed(let response): print("\(path): \(response.image.size)")
        case .failed(let error): print("\(path): \(error)")
        default: return
        }
        settled += 1
    }
    image.request = path.contains("://") ? ImageRequest(url: path) : ImageRequest(path: path)
    gtk_widget_set_hexpand(image.widget, 1)
    gtk_box_append(cast(box, to: GtkBox.self), image.widget)
    return image
}
gtk_window_set_title(window, "Firn")
gtk_window_set_default_size(window, 800, 500)
gtk_window_set_child(window, box)
gtk_window_present(window)
while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0, !(isOnce && settled >= images.count) {
    g_main_context_iteration(nil, 1)
}
