import CGTK4
import Firn
import FirnGTK

/// The window: the grid, the viewer over it, search, meters, keys.
@MainActor
final class GalleryWindow {
    let grid: GalleryGrid
    var onClose: (() -> Void)?
    let widget: UnsafeMutablePointer<GtkWidget>
    private let viewer: GalleryViewer
    private let stack: UnsafeMutablePointer<GtkWidget>
    private let search: UnsafeMutablePointer<GtkWidget>
    private let meters: GalleryMeters
    private let policies: UnsafeMutablePointer<GtkWidget>
    private var pictures: [GalleryPicture]
    private let isSolid: Bool

    private var window: UnsafeMutablePointer<GtkWindow> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
    }

    init(pipeline: ImagePipeline, pictures: [GalleryPicture], cell: Int, policy: ReusePolicy, solid: Bool) {
        self.pictures = pictures
        isSolid = solid
        grid = GalleryGrid(pipeline: pipeline, pictures: pictures, cell: cell, policy: policy, solid: solid)
        viewer = GalleryViewer(pipeline: pipeline)
        guard let widget = gtk_window_new(), let stack = gtk_stack_new(), let search = gtk_search_entry_new(),
            let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
            let policies = GalleryControls.dropDown(ReusePolicy.allCases.map(\.rawValue)),
            let zoom = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 60, 480, 20),
            let header = gtk_header_bar_new()
        else { fatalError("GTK made no window") }
        self.widget = widget
        self.stack = stack
        self.search = search
        self.policies = policies
        meters = GalleryMeters(pipeline: pipeline, context: grid.context)
        gtk_window_set_default_size(window, 1150, 800)
        gtk_window_set_title(window, "Firn gallery")
        gtk_window_set_titlebar(window, header)
        gtk_stack_add_named(OpaquePointer(stack), grid.widget, "grid")
        gtk_stack_add_named(OpaquePointer(stack), viewer.widget, "viewer")
        let box = UnsafeMutableRawPointer(column).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(box, stack)
        gtk_box_append(box, meters.widget)
        gtk_window_set_child(window, column)
        gtk_widget_set_size_request(zoom, 140, -1)
        let range = UnsafeMutableRawPointer(zoom).assumingMemoryBound(to: GtkRange.self)
        gtk_range_set_value(range, Double(cell))
        gtk_header_bar_pack_start(OpaquePointer(header), search)
        gtk_header_bar_pack_end(OpaquePointer(header), zoom)
        gtk_header_bar_pack_end(OpaquePointer(header), policies)
        gtk_drop_down_set_selected(OpaquePointer(policies), guint(ReusePolicy.allCases.firstIndex(of: policy) ?? 0))
        connect(range)
    }

    private func connect(_ zoom: UnsafeMutablePointer<GtkRange>) {
        grid.onOpen = { [weak self] in self?.open($0) }
        SignalClosure.connect(UnsafeMutableRawPointer(zoom), "value-changed") { [weak self] in
            self?.grid.cell = Int(gtk_range_get_value(zoom))
        }
        SignalClosure.connect(UnsafeMutableRawPointer(search), "search-changed") { [weak self] in self?.filter() }
        SignalClosure.connect(
            UnsafeMutableRawPointer(policies), "notify::selected",
            object: { [weak self] _ in
                guard let self else { return }
                let index = Int(gtk_drop_down_get_selected(OpaquePointer(self.policies)))
                if ReusePolicy.allCases.indices.contains(index) {
                    self.grid.context.policy = ReusePolicy.allCases[index]
                }
            })
        SignalClosure.connect(UnsafeMutableRawPointer(widget), "destroy") { [weak self] in self?.onClose?() }
        GalleryControls.onKey(widget) { [weak self] in self?.press($0, isControl: $1) ?? false }
        GalleryControls.onDrop(widget) { [weak self] in self?.add($0) }
    }

    func present() { gtk_window_present(window) }

    /// Adds what was opened or dropped.
    func add(_ sources: [String]) {
        pictures += GalleryPicture.list(of: sources)
        filter()
    }

    private func filter() {
        guard let text = gtk_editable_get_text(OpaquePointer(search)) else { return }
        let wanted = String(cString: text).lowercased()
        grid.show(wanted.isEmpty ? pictures : pictures.filter { $0.name.lowercased().contains(wanted) })
    }

    private func open(_ place: Int) {
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "viewer")
        viewer.show(place, of: grid.pictures)
    }

    private var isViewing: Bool { gtk_stack_get_visible_child(OpaquePointer(stack)) == viewer.widget }

    private func closeViewer() {
        viewer.leave()
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "grid")
    }

    private func press(_ key: UInt32, isControl: Bool) -> Bool {
        if isControl { return pressControl(key) }
        guard isViewing else { return false }
        switch Int32(bitPattern: key) {
        case GDK_KEY_Escape: closeViewer()
        case GDK_KEY_Left: viewer.move(by: -1)
        case GDK_KEY_Right, GDK_KEY_space: viewer.move(by: 1)
        case GDK_KEY_plus, GDK_KEY_KP_Add: viewer.scaleZoom(by: 1.5)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: viewer.scaleZoom(by: 1 / 1.5)
        case GDK_KEY_0: viewer.scaleZoom(by: 0)
        default: return false
        }
        return true
    }

    private func pressControl(_ key: UInt32) -> Bool {
        switch Int32(bitPattern: key) {
        case GDK_KEY_f: gtk_widget_grab_focus(search)
        case GDK_KEY_d: GalleryControls.toggleDark()
        case GDK_KEY_o: GalleryControls.chooseFolder(window) { [weak self] in self?.add([$0]) }
        case GDK_KEY_p:
            let next = (Int(gtk_drop_down_get_selected(OpaquePointer(policies))) + 1) % ReusePolicy.allCases.count
            gtk_drop_down_set_selected(OpaquePointer(policies), guint(next))
        default: return false
        }
        return true
    }

    /// Whether every visible cell has its picture, or failed.
    var isComplete: Bool {
        isSolid
            || grid.cells(in: grid.scroll.visible).allSatisfy { place, picture in
                switch picture.binding.phase {
                case .displayed, .failed: true
                default: grid.pictures[place].request == nil
                }
            }
    }

    /// Visible cells that show another picture than theirs.
    func wrongPictures() -> Int {
        grid.cells(in: grid.scroll.visible).count { place, picture in
            guard picture.binding.content.kind == .picture, let shown = picture.binding.phase.response?.request else {
                return false
            }
            return shown.imageID != grid.pictures[place].request?.imageID
                || shown.description != grid.pictures[place].request?.description
        }
    }

    /// Saves what the window looks like, as PNG.
    ///
    /// - Returns: whether there was anything to be saved: a window that is about to be painted anew has no looks.
    func saveScreenshot(_ path: String) -> Bool {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(
            paintable, snapshot, Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return false }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(OpaquePointer(widget)),
            let texture = gsk_renderer_render_texture(renderer, node, nil)
        else { return false }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        return gdk_texture_save_to_png(texture, path) != 0
    }
}
