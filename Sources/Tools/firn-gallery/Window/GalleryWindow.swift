#if GTK
import CFirnAdwaita
import FirnDemoServer
import FirnGTK
import FirnReport

/// The window: the grid with its header, the viewer, messages and statistics.
@MainActor
final class GalleryWindow {
    let grid: GalleryGrid
    let viewer: GalleryViewer
    let header = GalleryHeader()
    let selection = SelectionBar()
    let statistics: StatisticsBar
    let widget: Widget = adw_window_new()
    let actions: GalleryActions
    let trash = Trash()
    /// The latest changes of files, which can be undone.
    var changes: [FileChange] = []
    /// The settings of the next start.
    var settings: GallerySettings
    /// The running search or change of files.
    var working: Task<Void, Never>?
    /// The numbers of files that are not shown.
    private var leftOut = LeftOutFiles()
    /// The messages that are shown or due.
    private var messages: [(toast: OpaquePointer, words: String, undoes: Bool)] = []
    /// When the first message appeared.
    private var shownSince = ContinuousClock.now
    /// The toast with a button for undo; `nil` while none is shown or due.
    var undoToast: OpaquePointer? { messages.first { $0.undoes }?.toast }
    var onClose: (() -> Void)?
    /// Called with dropped sources.
    var onSources: (([String]) -> Void)?
    /// Called with a chosen folder.
    var onOpen: ((String) -> Void)?
    /// Called when the images are shown in another order.
    var onOrder: ((GalleryOrder) -> Void)?
    /// The name of the open source.
    var name = "" { didSet { describe() } }
    /// True while sources are being read.
    var isReading = false { didSet { if isReading != oldValue, !isClosed { showPage() } } }
    /// True after the window was destroyed. Later results are ignored.
    private(set) var isClosed = false
    private let stack: Widget = gtk_stack_new()
    private let pages: Widget = gtk_stack_new()
    private let content: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    let transition = CellTransition()
    private let toasts: Widget = adw_toast_overlay_new()
    let isSolid: Bool
    let keys = (
        grid: KeyTable(KeyTable.everywhere + KeyTable.grid),
        viewer: KeyTable(KeyTable.everywhere + KeyTable.viewer),
        zoomed: KeyTable(KeyTable.everywhere + KeyTable.viewer + KeyTable.zoomed),
        crop: KeyTable(
            KeyTable.everywhere + KeyTable.viewer.filter { ["zoom", "rota"].contains($0.action.prefix(4)) }
                + KeyTable.crop)
    )
    /// The color scheme that the user chose in this window. Default: the system's.
    private var scheme = ADW_COLOR_SCHEME_DEFAULT

    var window: UnsafeMutablePointer<GtkWindow> { widget.cast() }

    init(
        pipeline: ImagePipeline, images: GalleryList, cell: Int, policy: ImageReusePolicy, solid: Bool,
        network: SlowLoader, collection: DemoCollection? = nil, thumbnails: CellThumbnails? = nil,
        settings: GallerySettings = GallerySettings()
    ) {
        self.settings = settings
        isSolid = solid
        grid = GalleryGrid(
            pipeline: pipeline, images: images, cell: cell, policy: policy, solid: solid, thumbnails: thumbnails)
        viewer = GalleryViewer(pipeline: pipeline, thumbnails: thumbnails)
        statistics = StatisticsBar(
            pipeline: pipeline, context: grid.context, network: network, collection: collection)
        actions = GalleryActions(widget)
        GalleryStyle.load()
        gtk_widget_set_size_request(widget, 360, 294)
        let open = Widget.button(text: tr("_Open a Folder"), action: "win.open", classes: ["pill", "suggested-action"])
        let empty = Widget.status(
            "image-x-generic-symbolic", tr("No Images"), tr("Open a folder, or drop images here."), button: open)
        let nothing = Widget.status(
            "system-search-symbolic", tr("Nothing Found"), tr("Try another name."), button: nil)
        for (page, name) in [(grid.widget, "grid"), (empty, "empty"), (nothing, "nothing")] {
            gtk_stack_add_named(pages.opaque, page, name)
        }
        gtk_widget_set_vexpand(pages, 1)
        let gridPage = Widget.box(GTK_ORIENTATION_VERTICAL, [header.widget, pages, selection.widget])
        gtk_stack_add_named(stack.opaque, gridPage, "grid")
        gtk_stack_add_named(stack.opaque, viewer.widget, "viewer")
        gtk_widget_set_vexpand(stack, 1)
        gtk_overlay_set_child(transition.widget.opaque, stack)
        content.append(transition.widget)
        adw_toast_overlay_set_child(toasts.opaque, content)
        adw_window_set_content(widget.cast(), toasts)
        addActions()
        connect()
        for name in settings.active { actions.turn(name, on: true) }
        actions.show("reversed", isOn: settings.isReversed)
        if settings.isMaximized { gtk_window_maximize(window) }
        describe()
    }

    private func connect() {
        grid.window = self
        viewer.thumbnail = { [weak self] in self?.grid.image(of: $0)?.binding.phase.response?.container }
        viewer.onPlace = { [weak self] _ in self?.enableActions() }
        statistics.detail = { [weak self] in self.map { $0.isViewing ? $0.viewer.text : "" } ?? "" }
        header.onSearch = { [weak self] in self?.search($0) }
        header.onEnter = { [weak self] in self?.search($0, opensFirst: true) }
        SignalClosure.connect(widget.object, "destroy") { [weak self] in
            self?.noteSettings()
            self?.isClosed = true
            self?.viewer.close()
            self?.onClose?()
        }
        SignalClosure.connect(widget.object, "notify::fullscreened") { [weak self] in
            // Order: not during a layout, in which a header that appears would not be allocated.
            Task { self.map { $0.viewer.page.isFullscreen = $0.isFullscreen } }
        }
        SignalClosure.connect(widget.object, "realize") { [weak self] in
            guard let self, let surface = gtk_native_get_surface(self.widget.opaque) else { return }
            SignalClosure.connect(UnsafeMutableRawPointer(surface), "layout") { [weak self] in
                // Order: not during a layout.
                Task { self?.fit() }
            }
        }
        widget.onKey { [weak self] in self?.press($0) ?? false }
        DropZone.attach(to: widget) { [weak self] in self?.drop($0) }
    }

    /// Records the settings at the end. A maximized window keeps its former size.
    func noteSettings() {
        guard !isClosed else { return }
        settings.isMaximized = gtk_window_is_maximized(window) != 0
        var (width, height): (gint, gint) = (0, 0)
        gtk_window_get_default_size(window, &width, &height)
        if width > 0, height > 0 { settings.size = PixelSize(width: Int(width), height: Int(height)) }
        settings.active = Set(GallerySettings.toggles.filter(actions.isOn))
    }

    /// Shows the statistics below the images.
    func showStatistics() {
        content.append(statistics.widget)
        statistics.start()
    }

    private func fit() {
        guard !isClosed else { return }
        let width = gtk_widget_get_width(widget)
        header.fit(width: width)
        viewer.page.fit(width: width, height: gtk_widget_get_height(widget))
    }

    func present() {
        gtk_window_present(window)
        grid.focus()
    }

    // MARK: Images

    /// Appends images, and reports unreadable sources.
    func add(_ batch: SourceReader.Batch) {
        guard !isClosed else { return }
        let wasEmpty = grid.images.count == 0
        grid.images.append(batch.images)
        grid.appended()
        if wasEmpty, grid.images.count > 0 {
            // Focuses the first image once it has a cell, unless the user has moved on.
            afterLayout { window in
                if !window.isEditing, !window.isViewing, window.grid.focused == nil { window.grid.focus(on: 0) }
            }
        }
        // Order: before `describe`, which enables actions by the place of the large image.
        if isViewing { _ = viewer.listChanged() }
        for fault in batch.faults { StandardError.line("firn-gallery: \(fault)") }
        if let fault = batch.faults.first {
            let more = batch.faults.count - 1
            notify(more > 0 ? tr("%1 and %2 more", fault, String(more)) : fault)
        }
        leftOut += batch.leftOut
        describe()
    }

    /// Calls `body` after the next layout, unless the window is closed by then.
    private func afterLayout(_ body: @escaping @MainActor (GalleryWindow) -> Void) {
        Task { [weak self] in
            for _ in 0..<2 {
                // The window may have been closed during the frame.
                guard let self, !self.isClosed else { return }
                await FrameTurn.frame(of: self.widget)
            }
            if let self, !self.isClosed { body(self) }
        }
    }

    /// Shows the list after images were removed, sorted or changed.
    func refresh() {
        guard !isClosed else { return }
        grid.refresh()
        if isViewing, !viewer.listChanged() { closeViewer() }
        describe()
    }

    /// Handles a file that got another name.
    func renamed(_ former: String, to new: String) {
        guard grid.images.rename(former, to: new) else { return }
        if isViewing { viewer.renamed(former, to: new) }
        refresh()
    }

    /// Removes all images.
    func removeAll() {
        if isViewing { closeViewer() }
        grid.images.removeAll()
        grid.replaced()
        leftOut = LeftOutFiles()
        describe()
    }

    /// Shows a message in the window and prints it to standard error.
    func report(_ words: String) {
        StandardError.line("firn-gallery: \(words)")
        notify(words)
    }

    /// Shows a message, optionally with a button that undoes the latest change of files. That one precedes others.
    func notify(_ words: String, undoes: Bool = false) {
        // The title is markup.
        guard let text = GLibText.string(freeing: g_markup_escape_text(words, -1)) else { return }
        // The shown message changes, since libadwaita 1.2 fails if it is replaced while it appears.
        if undoes, let shown = messages.first {
            messages[0] = (shown.toast, words, true)
            adw_toast_set_title(shown.toast, text)
            addUndo(to: shown.toast)
            // Shows it as long as a new one.
            g_object_ref(UnsafeMutableRawPointer(shown.toast))
            adw_toast_overlay_add_toast(toasts.opaque, shown.toast)
            if !shown.undoes { notify(shown.words) }
            return
        }
        guard let toast = adw_toast_new(text) else { return }
        if messages.isEmpty { shownSince = .now }
        messages.append((toast, words, undoes))
        if undoes { addUndo(to: toast) }
        SignalClosure.connect(UnsafeMutableRawPointer(toast), "dismissed") { [weak self] in
            guard let self else { return }
            self.messages.removeAll { $0.toast == toast }
            self.shownSince = .now
        }
        adw_toast_overlay_add_toast(toasts.opaque, toast)
    }

    private func addUndo(to toast: OpaquePointer) {
        adw_toast_set_button_label(toast, tr("_Undo"))
        adw_toast_set_action_name(toast, "\(GalleryActions.prefix).undo")
    }

    /// Removes the message with the button for undo.
    func dismissUndo() {
        guard let index = messages.firstIndex(where: { $0.undoes }) else { return }
        let toast = messages[index].toast
        messages[index].undoes = false
        adw_toast_set_button_label(toast, nil)
        // libadwaita 1.2 uses freed memory if a toast is dismissed while it appears, for half a second.
        let delay = Duration.seconds(1) - shownSince.duration(to: .now)
        guard delay > .zero else { return adw_toast_dismiss(toast) }
        Task { [weak self] in
            try? await Task.sleep(for: delay)
            guard let self, !self.isClosed, self.messages.contains(where: { $0.toast == toast && !$0.undoes }) else {
                return
            }
            adw_toast_dismiss(toast)
        }
    }

    /// Handles sources that were dropped on the window.
    func drop(_ sources: [String]) {
        if sources.isEmpty {
            notify(tr("What was dropped is neither a file nor an address."))
        } else {
            onSources?(sources)
        }
    }

    /// True if the user is typing.
    var isEditing: Bool { gtk_window_get_focus(window).map { gtk_text_get_type().holds($0.object) } ?? false }

    /// - Parameter opensFirst: true to show the first result large.
    private func search(_ text: String, opensFirst: Bool = false) {
        guard opensFirst || text.lowercased() != grid.images.query else { return }
        working = Task { [weak self, images = grid.images] in
            guard await images.search(text), let self, !self.isClosed else { return }
            self.grid.replaced()
            self.describe()
            if opensFirst { self.open(0) }
        }
    }

    /// Sets the order of a window without images.
    func begin(_ order: GalleryOrder) {
        grid.images.begin(order, isReversed: settings.isReversed)
        actions.show("sort", order.rawValue)
    }

    /// Shows the images in another order or direction, which are remembered.
    func sort(_ order: GalleryOrder, isReversed: Bool? = nil) {
        settings.order = order == .found ? settings.order : order
        settings.isReversed = isReversed ?? settings.isReversed
        working = Task { [weak self, images = grid.images, isReversed = settings.isReversed] in
            guard await images.sort(by: order, isReversed: isReversed), let self, !self.isClosed else { return }
            self.grid.replaced()
            self.onOrder?(order)
        }
    }

    private func showPage() {
        let images = grid.images
        let isGrid = images.count > 0 || (isReading && images.query.isEmpty)
        let page = isGrid ? "grid" : images.all.isEmpty ? "empty" : "nothing"
        gtk_stack_set_visible_child_name(pages.opaque, page)
    }

    /// Updates the page, the title and the enabled actions.
    private func describe() {
        showPage()
        let images = grid.images
        var count = tr("%1 image", "%1 images", count: images.all.count)
        if images.count != images.all.count { count = tr("%1 of %2", String(images.count), count) }
        let title = name.isEmpty ? tr("Gallery") : name
        let line = [images.all.isEmpty ? "" : count, FailureText.line(leftOut)].filter { !$0.isEmpty }
        header.describe(title, line.joined(separator: " · "))
        gtk_window_set_title(window, title)
        enableActions()
    }

    // MARK: The viewer

    func open(_ place: Int) {
        guard grid.images.indices.contains(place) else { return }
        let cell = isViewing ? nil : grid.image(of: place)
        let from = cell.flatMap { transition.place(of: $0.widget) }
        showPage(isViewer: true)
        viewer.show(place, of: grid.images)
        gtk_widget_grab_focus(viewer.view.widget)
        guard let from, let image = cell?.binding.phase.response?.container, var room = transition.place(of: stack)
        else { return }
        // The viewer has no size yet. It will fill the space below the header.
        let header = Double(gtk_widget_get_height(header.widget))
        (room.y, room.height) = (room.y + header, room.height - header)
        transition.move(image.image, from: from, to: room.fitted(image, screenScale))
    }

    var isViewing: Bool { gtk_stack_get_visible_child(stack.opaque) == viewer.widget }

    private var screenScale: Double { Double(max(1, gtk_widget_get_scale_factor(widget))) }

    var isFullscreen: Bool { gtk_window_is_fullscreen(window) != 0 }

    func closeViewer() {
        // Not for a rotated image, since the cell shows it upright.
        let image = viewer.view.rotation == 0 ? viewer.view.binding.phase.response?.container : nil
        let from = transition.place(of: viewer.view.widget)
        viewer.leave()
        if isFullscreen { gtk_window_unfullscreen(window) }
        showPage(isViewer: false)
        grid.focus(on: viewer.place)
        guard let image, let from else { return }
        // Order: the cell is positioned by the layout of the grid.
        afterLayout { [place = viewer.place] window in
            guard !window.isViewing, let cell = window.grid.image(of: place),
                let to = window.transition.place(of: cell.widget)
            else { return }
            window.transition.move(image.image, from: from.fitted(image, window.screenScale), to: to)
        }
    }

    private func showPage(isViewer: Bool) {
        // Photographs have a dark surround, with dark controls on it.
        applyScheme(isViewer: isViewer)
        gtk_stack_set_visible_child_name(stack.opaque, isViewer ? "viewer" : "grid")
        enableActions()
    }

    private func applyScheme(isViewer: Bool) {
        adw_style_manager_set_color_scheme(
            adw_style_manager_get_default(), isViewer ? ADW_COLOR_SCHEME_FORCE_DARK : scheme)
    }

    /// Switches between light and dark until the window is closed.
    func toggleDark() {
        let isDark = adw_style_manager_get_dark(adw_style_manager_get_default()) != 0
        scheme = isDark ? ADW_COLOR_SCHEME_FORCE_LIGHT : ADW_COLOR_SCHEME_FORCE_DARK
        if !isViewing { applyScheme(isViewer: false) }
    }
}
#endif
