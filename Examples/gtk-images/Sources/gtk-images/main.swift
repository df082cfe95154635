// Shows an image, and a grid of all images below it:  gtk-images [--once] URL…
//
// With --once, the program exits when all visible images are shown.
import CGTK4
import FirnGTK
import FoundationEssentials
import Glibc

struct Photo {
    let url: URL
}

var urls = Array(CommandLine.arguments.dropFirst())
let isOnce = urls.first == "--once"
if isOnce { urls.removeFirst() }
let photos = urls.compactMap { URL(string: $0) }.map { Photo(url: $0) }

guard gtk_init_check() != 0, let photo = photos.first, let window = gtk_window_new(),
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
else {
    print("usage: gtk-images [--once] URL…, on a display")
    exit(1)
}

// snippet.task-view
let view = FirnPicture(photo.url)
view.naturalSize = PixelSize(width: 640, height: 320)
box.append(view)
// snippet.end

// snippet.task-list
let list = FirnImageList(photos) { $0.url }
box.append(list)
// snippet.end

let frame = window.cast(GtkWindow.self)
gtk_window_set_default_size(frame, 720, 720)
gtk_window_set_child(frame, box)
gtk_window_present(frame)

@MainActor func isComplete() -> Bool {
    let shown = [view] + list.scroll.visible.compactMap { list.factory.cell(at: $0) }
    return !list.scroll.visible.isEmpty && shown.allSatisfy { $0.binding.phase.response != nil }
}
while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0, !(isOnce && isComplete()) {
    g_main_context_iteration(nil, 1)
}
if isOnce { print("\(list.scroll.visible.count) images") }
