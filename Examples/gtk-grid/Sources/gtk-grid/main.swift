// Shows images in a grid, and the selected image large:  gtk-grid [--once] FILE…
//
// With --once, the program selects the last image and exits when it is shown or has failed.

// snippet.gtk-grid
import CGTK4
import FirnGTK
import Glibc

var paths = Array(CommandLine.arguments.dropFirst())
let isOnce = paths.first == "--once"
if isOnce { paths.removeFirst() }

guard gtk_init_check() != 0 else {
    print("gtk-grid: there is no display; set DISPLAY or WAYLAND_DISPLAY")
    exit(1)
}
// Before the loop runs: await and the main actor work in GLib's loop from now on.
GLibMainExecutor.install()

// Model: a GtkStringList with a path for each item. It is a GListModel.
let model = gtk_string_list_new(nil)
for path in paths { gtk_string_list_append(model, path) }

// Selection: a GtkSelectionModel around the model, which it owns from now on.
let selection = gtk_single_selection_new(model)

// Cells: the factory makes one for each item on the screen, with its request.
let context = BindingContext.gtk(pipeline: .shared)
let factory = ImageListFactory(context: context) { item in
    ImageRequest(path: item.string)
}
factory.cellSize = PixelSize(128)
factory.didBind = { cell, item in cell.alternativeText = item.string }

// Grid: owns the selection and takes a reference to the factory; we keep another.
g_object_ref(UnsafeMutableRawPointer(factory.pointer))
guard let grid = gtk_grid_view_new(selection, factory.pointer),
    let scrolled = gtk_scrolled_window_new(),
    let panes = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL),
    let window = gtk_window_new()
else { exit(1) }
gtk_grid_view_set_min_columns(grid.opaque, 4)
gtk_grid_view_set_max_columns(grid.opaque, 4)
gtk_scrolled_window_set_child(scrolled.opaque, grid)

// Tells the cells whether they are visible, and loads ahead of the screen.
let scroll = ImageListScroll(
    of: factory, in: scrolled, itemCount: paths.count, columns: 4
) { place in
    ImageRequest(path: paths[place])
}

// The selected image, large.
let large = FirnPicture(context: context)
var isShown = false
large.onPhaseChange = { phase in
    switch phase {
    case .displayed(let response):
        print("\(response.request): \(response.image.size)")
    case .failed(let error): print(error)
    default: return
    }
    isShown = true
}
@MainActor func showSelected() {
    let place = Int(gtk_single_selection_get_selected(selection))
    // The position is GTK_INVALID_LIST_POSITION if nothing is selected.
    guard paths.indices.contains(place) else { return }
    large.request = ImageRequest(path: paths[place])
    large.alternativeText = paths[place]
}

// Signal: a C function with three arguments, passed as one without arguments.
let notified: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = {
    _, _, _ in
    showSelected()
}
g_signal_connect_data(
    UnsafeMutableRawPointer(selection), "notify::selected",
    unsafeBitCast(notified, to: GCallback.self), nil,
    nil, GConnectFlags(rawValue: 0))
showSelected()

gtk_paned_set_start_child(panes.opaque, scrolled)
gtk_paned_set_end_child(panes.opaque, large.widget)
gtk_paned_set_position(panes.opaque, 560)

// Casts: GtkWindow is a C struct, so a GtkWidget is cast by its address.
// Most other GTK types are opaque: widget.opaque.
let frame = window.cast(GtkWindow.self)
gtk_window_set_title(frame, "Images")
gtk_window_set_default_size(frame, 1000, 600)
gtk_window_set_child(frame, panes)
gtk_window_present(frame)
if isOnce {
    gtk_single_selection_set_selected(selection, guint(max(0, paths.count - 1)))
}

while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0, !(isOnce && isShown) {
    g_main_context_iteration(nil, 1)
}
// snippet.end
