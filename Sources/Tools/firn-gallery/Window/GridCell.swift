#if GTK
import CGTK4
import FirnGTK

/// A cell of the grid: an image with its name below, or a heading.
@MainActor
final class GridCell {
    let widget: Widget
    let image: FirnPicture
    /// The place of the image in the list; `nil` for a heading or an empty cell.
    private(set) var place: Int?
    /// The date in the tooltip, in seconds of its local time; 0 for none.
    private var date: Int64 = 0
    /// The grid, which its cells may outlive.
    private(set) weak var grid: GalleryGrid?
    /// True while a menu is open. A tooltip would cover it.
    static var hasMenu = false
    /// An inscription, because a label causes a measurement of the whole grid for each bound cell.
    private let caption: Widget = gtk_inscription_new(nil)
    private var text = ""
    /// The source of the image; empty for a heading.
    private(set) var source = ""
    let frame: Widget = gtk_overlay_new()
    /// The state of loading, which ``CellLoading`` updates.
    var loading = Loading()
    /// The sign of a failure, and the label with its reason.
    private var failure: (box: Widget, reason: Widget)?
    private var mark: Widget?

    init(_ image: FirnPicture, in grid: GalleryGrid?) {
        self.image = image
        self.grid = grid
        gtk_overlay_set_child(frame.opaque, image.widget)
        image.cornerRadius = 6
        gtk_inscription_set_min_lines(caption.opaque, 1)
        // The caption is as wide as the image, whatever the name.
        gtk_inscription_set_nat_chars(caption.opaque, 1)
        gtk_inscription_set_min_chars(caption.opaque, 1)
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 6, [frame, caption])
        setHeading(false)
        image.widget.onClick { [weak self] _, _ in self?.retryIfFailed() }
        widget.onClick(button: GDK_BUTTON_SECONDARY) { [weak self] x, y in
            if let self { self.grid?.window?.showMenu(at: self, x, y) }
        }
        connectTooltip()
        // Order: the handler retains the cell, which then lives as long as its widget.
        DragSource.attach(to: widget, image: image.widget, onDrag: { self.grid?.isDragging = $0 }) {
            self.grid?.dragged(from: self) ?? []
        }
        image.onPhaseChange = { [weak self] phase in
            self?.show(phase.error)
            self?.phaseChanged(phase)
            self?.showBounds(of: phase.response?.image)
        }
        let key = GridCell.key
        g_object_set_data(
            widget.object.assumingMemoryBound(to: GObject.self), key, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let key = "firn-cell"

    /// Returns the cell of its widget; `nil` for other widgets.
    static func of(_ widget: Widget) -> GridCell? {
        g_object_get_data(widget.object.assumingMemoryBound(to: GObject.self), key).map {
            Unmanaged<GridCell>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Returns the cell around an image.
    static func of(around image: FirnPicture) -> GridCell? {
        image.widget.parent?.parent.flatMap { of($0) }
    }

    /// Shows the name of an image, a heading, or nothing. The factory sets the request.
    func show(_ slot: GridLayout.Slot, _ shown: GalleryImage?, item: OpaquePointer) {
        place = if case .image(let place) = slot { place } else { nil }
        let isImage = place != nil
        if frame.isVisible != isImage { setHeading(!isImage) }
        var text = shown?.title ?? ""
        switch slot {
        case .heading(let month):
            text = MonthText.title(month)
            caption.isVisible = true
        case .empty(let isHeading):
            text = ""
            // In a row of images, an empty cell needs no caption for its height.
            caption.isVisible = isHeading
        case .image: break
        }
        // Also the accessible name of the cell.
        image.alternativeText = text.isEmpty ? nil : text
        if text != self.text {
            self.text = text
            gtk_inscription_set_text(caption.opaque, text)
        }
        date = shown?.date ?? 0
        let source = shown?.source ?? ""
        if source != self.source || shown?.hash != nil {
            self.source = source
            sourceChanged(shown?.hash)
        }
        // GTK ignores states that are already set.
        gtk_list_item_set_selectable(item, isImage ? 1 : 0)
        gtk_list_item_set_activatable(item, isImage ? 1 : 0)
        if let parent = widget.parent { gtk_widget_set_can_target(parent, isImage ? 1 : 0) }
        let isMarked = isImage && grid?.isSelecting == true
        if isMarked, mark == nil { mark = icon("object-select-symbolic", "mark", GTK_ALIGN_END, GTK_ALIGN_START) }
        mark?.isVisible = isMarked
        show(image.binding.phase.error)
    }

    /// Creates the tooltip when it is shown, because cells are bound hundreds of times a second.
    private func connectTooltip() {
        gtk_widget_set_has_tooltip(widget, 1)
        let call: @MainActor @convention(c) (Widget?, gint, gint, gboolean, OpaquePointer?, gpointer?) -> gboolean = {
            widget, _, _, _, tooltip, _ in
            guard let tooltip, let cell = widget.flatMap({ GridCell.of($0) }), cell.place != nil, !GridCell.hasMenu
            else { return 0 }
            let date = cell.date == 0 ? "" : "\n\(MonthText.moment(cell.date))"
            gtk_tooltip_set_text(tooltip, cell.text + date)
            return 1
        }
        SignalClosure.connect(widget.object, "query-tooltip", calling: call, with: ())
    }

    private func setHeading(_ isHeading: Bool) {
        frame.isVisible = !isHeading
        caption.isVisible = true
        gtk_widget_set_halign(widget, isHeading ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER)
        gtk_widget_set_margin_top(widget, isHeading ? 12 : 0)
        gtk_inscription_set_text_overflow(
            caption.opaque,
            isHeading ? GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END : GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_MIDDLE)
        gtk_inscription_set_xalign(caption.opaque, isHeading ? 0 : 0.5)
        caption.style("caption", !isHeading)
        caption.style("heading", isHeading)
    }

    /// Shows a checkerboard behind an image with transparent pixels, and an edge around one that the window's color
    /// would hide. Painting an edge takes GTK a tenth of the time of a cell.
    private func showBounds(of image: Bitmap?) {
        self.image.widget.style("transparent", image?.isOpaque == false)
        self.image.widget.style("edge", image.map { !$0.isOpaque || GridCell.isHidden($0) } ?? false)
    }

    /// Returns whether much of the border of an image's middle square is about as light or as dark as a window.
    static func isHidden(_ image: Bitmap) -> Bool {
        let (size, length) = (image.size, image.format.bytesPerPixel)
        guard length <= 4 else { return true }
        let side = min(size.width, size.height)
        let (left, top) = ((size.width - side) / 2, (size.height - side) / 2)
        return image.withUnsafeBytes { bytes in
            // Counts pixels of 16 on each side whose parts all meet a condition.
            func count(_ isSo: (UInt8) -> Bool) -> Int {
                (0..<64).count { number in
                    let (along, across) = ((side - 1) * (number / 4) / 15, (number & 1) * (side - 1))
                    let (x, y) = number & 2 == 0 ? (along, across) : (across, along)
                    return bytes[((top + y) * image.bytesPerRow + (left + x) * length)...].prefix(3).allSatisfy(isSo)
                }
            }
            return max(count { $0 >= 225 }, count { $0 <= 50 }) >= 16
        }
    }

    /// Adds an icon over the image.
    private func icon(_ name: String, _ style: String, _ across: GtkAlign, _ along: GtkAlign) -> Widget {
        let icon: Widget = gtk_image_new_from_icon_name(name)
        gtk_widget_add_css_class(icon, style)
        gtk_widget_set_can_target(icon, 0)
        frame.add(icon, across, along)
        return icon
    }

    // MARK: Failures

    private func retryIfFailed() {
        if image.binding.phase.error != nil { image.retry() }
    }

    private func show(_ error: ImageLoadingError?) {
        guard let error, place != nil else {
            failure?.box.isVisible = false
            return
        }
        let (box, reason) = failure ?? makeFailure()
        failure = (box, reason)
        box.isVisible = true
        gtk_label_set_text(reason.opaque, FailureText.line(error))
        gtk_widget_set_tooltip_text(box, "\(error)\n\(tr("Click to try again"))")
    }

    private func makeFailure() -> (box: Widget, reason: Widget) {
        let icon: Widget = gtk_image_new_from_icon_name("image-missing-symbolic")
        gtk_image_set_pixel_size(icon.opaque, 32)
        let reason = Widget.text("", classes: ["caption"])
        gtk_label_set_justify(reason.opaque, GTK_JUSTIFY_CENTER)
        gtk_label_set_wrap(reason.opaque, 1)
        gtk_label_set_lines(reason.opaque, 3)
        let box = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 6, [icon, reason])
        gtk_widget_add_css_class(box, "dim-label")
        box.margin(12)
        frame.add(box, GTK_ALIGN_FILL, GTK_ALIGN_CENTER)
        box.onClick { [weak self] _, _ in self?.retryIfFailed() }
        return (box, reason)
    }

    // The content of a cell while its image loads: a stand-in, or after a while a sign.

    /// The state of loading.
    struct Loading {
        /// The start of loading; `nil` while nothing loads.
        var start: ContinuousClock.Instant?
        /// The source of the stand-in's image; empty for none.
        var standIn = ""
        /// True if a thumbnail was requested.
        var hasAskedStore = false
        var sign: Widget?
    }

    var isLoading: Bool { loading.start != nil }

    /// True if a stand-in for the current image is shown.
    var hasStandIn: Bool { !loading.standIn.isEmpty && loading.standIn == source }

    /// Handles a new phase of the image.
    func phaseChanged(_ phase: BindingPhase) {
        // A stand-in belongs to one image.
        if case .empty = phase { removeStandIn() }
        guard phase.isLoading != isLoading else { return }
        loading.start = phase.isLoading ? ContinuousClock.now : nil
        loading.hasAskedStore = false
        isBusy = false
        grid?.loading.changed(self)
    }

    /// Handles a new source. The image already has its request.
    func sourceChanged(_ hash: ListedHash?) {
        isBusy = false
        loading.hasAskedStore = false
        if isLoading { loading.start = ContinuousClock.now }
        if loading.standIn != source { removeStandIn() }
        if let hash, image.binding.phase.response == nil { showStandIn(.blurHash(hash.text)) }
    }

    /// Shows a stand-in until the image is loaded.
    func showStandIn(_ placeholder: ImagePlaceholder) {
        isBusy = false
        loading.standIn = source
        var options = image.binding.context.options
        options.placeholder = placeholder
        image.options = options
    }

    private func removeStandIn() {
        guard !loading.standIn.isEmpty else { return }
        loading.standIn = ""
        image.options = nil
    }

    /// True while the loading sign is shown. It moves in few steps: spinners cause a repaint for each frame, which on a
    /// slow machine leaves the main actor no time to deliver images.
    var isBusy: Bool {
        get { loading.sign?.isVisible ?? false }
        set {
            guard newValue != isBusy else { return }
            if loading.sign == nil {
                loading.sign = icon("process-working-symbolic", "busy", GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)
                loading.sign.map { gtk_image_set_pixel_size($0.opaque, 24) }
            }
            loading.sign?.isVisible = newValue
        }
    }
}

/// Shows shared thumbnails of other sizes in visible cells that load, and signs in cells without one.
///
/// One timer serves all cells. It runs only while a cell loads.
@MainActor
final class CellLoading {
    private let thumbnails: CellThumbnails?
    private var cells: [ObjectIdentifier: GridCell] = [:]
    private var watching: Task<Void, Never>?

    /// - Parameter thumbnails: the store to ask; `nil` for none.
    init(_ thumbnails: CellThumbnails?) { self.thumbnails = thumbnails }

    isolated deinit { watching?.cancel() }

    /// Handles a cell that starts or ends loading.
    func changed(_ cell: GridCell) {
        cells[ObjectIdentifier(cell)] = cell.isLoading ? cell : nil
        guard watching == nil, !cells.isEmpty else { return }
        watching = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: CellThumbnails.delay)
                guard let self, self.update() else { return }
            }
        }
    }

    /// Updates the loading cells. Returns `false` if there are none.
    private func update() -> Bool {
        let now = ContinuousClock.now
        for cell in cells.values where cell.grid?.isVisible(cell) ?? true {
            guard let start = cell.loading.start, !cell.hasStandIn else { continue }
            let time = start.duration(to: now)
            if time >= CellThumbnails.delay { find(cell) }
            if time >= CellThumbnails.patience { cell.isBusy = true }
        }
        if cells.isEmpty { watching = nil }
        return !cells.isEmpty
    }

    private func find(_ cell: GridCell) {
        let source = cell.source
        guard !cell.loading.hasAskedStore, let thumbnails, source.hasPrefix("/") else { return }
        cell.loading.hasAskedStore = true
        Task { [weak cell] in
            guard let image = await thumbnails.standIn(for: source, CellThumbnails.cellStandIns), let cell,
                cell.source == source, cell.isLoading
            else { return }
            cell.showStandIn(.image(image))
        }
    }
}
#endif
