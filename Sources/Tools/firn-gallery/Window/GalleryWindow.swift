#if GTK
import CGTK4
import Firn
import FirnGTK
import FirnReport
import FirnDemoServer
import FirnSystem

/// The window: grid, viewer, search, meters, keys.
@MainActor
final class GalleryWindow {
    let grid: GalleryGrid
    let viewer: GalleryViewer
    let header: GalleryHeader
    let widget: UnsafeMutablePointer<GtkWidget>
    var onClose: (() -> Void)?
    /// Called with a chosen folder or dropped files.
    var onSources: (([String]) -> Void)?
    private let stack: UnsafeMutablePointer<GtkWidget>
    private let note: UnsafeMutablePointer<GtkWidget>
    private let meters: GalleryMeters
    private var searching: Task<Void, Never>?
    private let isSolid: Bool

    var window: UnsafeMutablePointer<GtkWindow> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
    }

    init(
        pipeline: ImagePipeline, images: GalleryList, cell: Int, policy: ImageReusePolicy, solid: Bool,
        network: SlowLoader, collection: DemoCollection? = nil
    ) {
        isSolid = solid
        grid = GalleryGrid(pipeline: pipeline, images: images, cell: cell, policy: policy, solid: solid)
        viewer = GalleryViewer(pipeline: pipeline)
        header = GalleryHeader(
            cell: cell, policy: policy, network: network.condition, collection: collection)
        meters = GalleryMeters(pipeline: pipeline, context: grid.context) { network.condition.name }
        guard let widget = gtk_window_new(), let stack = gtk_stack_new(), let note = gtk_label_new(""),
            let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        else { fatalError("GTK made no window") }
        self.widget = widget
        self.stack = stack
        self.note = note
        gtk_window_set_default_size(window, 1150, 800)
        gtk_window_set_title(window, "Firn gallery")
        gtk_window_set_titlebar(window, header.widget)
        gtk_stack_add_named(OpaquePointer(stack), grid.widget, "grid")
        gtk_stack_add_named(OpaquePointer(stack), viewer.widget, "viewer")
        let box = UnsafeMutableRawPointer(column).assumingMemoryBound(to: GtkBox.self)
        gtk_label_set_ellipsize(OpaquePointer(note), PANGO_ELLIPSIZE_END)
        gtk_widget_set_visible(note, 0)
        gtk_box_append(box, note)
        gtk_box_append(box, stack)
        gtk_box_append(box, meters.widget)
        gtk_window_set_child(window, column)
        header.onNetwork = { network.condition = $0 }
        connect()
    }

    private func connect() {
        grid.onOpen = { [weak self] in self?.open($0) }
        header.onCell = { [weak self] in self?.grid.cell = $0 }
        header.onPolicy = { [weak self] in self?.grid.context.policy = $0 }
        header.onSearch = { [weak self] in self?.search($0) }
        header.onOpen = { [weak self] in self?.chooseFolder() }
        SignalClosure.connect(UnsafeMutableRawPointer(header.search), "activate") { [weak self] in self?.grid.focus() }
        SignalClosure.connect(UnsafeMutableRawPointer(widget), "destroy") { [weak self] in self?.onClose?() }
        GalleryControls.onKey(widget) { [weak self] in self?.press($0, isControl: $1) ?? false }
        DropZone.attach(to: widget) { [weak self] in self?.drop($0) }
    }

    func present() {
        gtk_window_present(window)
        grid.focus()
    }

    // MARK: Images

    /// Appends images, and reports unreadable sources.
    func add(_ batch: SourceReader.Batch) {
        let wasEmpty = grid.images.count == 0
        grid.appended(grid.images.append(batch.images))
        // Order: only now is there an item that can have the focus.
        if wasEmpty, !isSearching, !isViewing { grid.focus() }
        if !batch.images.isEmpty { gtk_widget_set_visible(note, 0) }
        for fault in batch.faults { report(fault) }
        describe()
    }

    /// Removes all images.
    func removeAll() {
        if isViewing { closeViewer() }
        grid.images.removeAll()
        grid.replaced()
        gtk_widget_set_visible(note, 0)
        describe()
    }

    /// Shows a message in the window and prints it to standard error.
    func report(_ words: String) {
        StandardError.line("firn-gallery: \(words)")
        hint(words)
    }

    /// Shows a message.
    func hint(_ words: String) {
        gtk_label_set_text(OpaquePointer(note), words)
        gtk_widget_set_visible(note, 1)
    }

    /// Handles sources that were dropped on the window.
    func drop(_ sources: [String]) {
        if sources.isEmpty {
            hint("In what was dropped is neither a file nor an address.")
        } else {
            onSources?(sources)
        }
    }

    /// Whether the search has the focus.
    var isSearching: Bool {
        guard let focus = gtk_window_get_focus(window) else { return false }
        return gtk_widget_is_ancestor(focus, header.search) != 0
    }

    private func search(_ text: String) {
        searching = Task { [weak self, images = grid.images] in
            guard await images.search(text), let self else { return }
            self.grid.replaced()
            self.describe()
            if images.count == 0, images.all.count > 0 {
                self.hint("No image has “\(text)” in its name.")
            } else {
                gtk_widget_set_visible(self.note, 0)
            }
        }
    }

    private func describe() {
        let images = grid.images
        let count =
            images.count == images.all.count ? "\(images.count)" : "\(images.count) of \(images.all.count)"
        let word = images.all.count == 1 ? "image" : "images"
        gtk_window_set_title(window, "Firn gallery: \(count) \(word)")
    }

    func chooseFolder() {
        GalleryControls.chooseFolder(window) { [weak self] in self?.onSources?([$0]) }
    }

    // MARK: The viewer

    func open(_ place: Int) {
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "viewer")
        viewer.show(place, of: grid.images)
    }

    var isViewing: Bool { gtk_stack_get_visible_child(OpaquePointer(stack)) == viewer.widget }

    func closeViewer() {
        viewer.leave()
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "grid")
        grid.focus()
    }

    // MARK: Visible cells

    /// Whether every visible cell shows its image or has failed.
    var isComplete: Bool {
        isSolid
            || grid.cells(in: grid.scroll.visible).allSatisfy { place, image in
                switch image.binding.phase {
                case .displayed, .failed: true
                default: grid.images.request(place) == nil
                }
            }
    }

    /// The number of visible cells that show another image than theirs.
    func wrongImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { place, image in
            guard image.binding.content.kind == .image, let shown = image.binding.phase.response?.request else {
                return false
            }
            let wanted = grid.images.request(place)
            return shown.imageID != wanted?.imageID || shown.description != wanted?.description
        }
    }

    /// The number of visible cells that show their image.
    func rightImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { _, image in image.binding.content.kind == .image }
            - wrongImages()
    }
}
#endif
