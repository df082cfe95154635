#if GTK
import CGTK4
import Firn
import FirnGTK

/// The look of a cell while its image loads: a stand-in if there is one, and otherwise after a while a sign.
extension GridCell {
    /// The state of loading.
    struct Loading {
        /// The time at which the image began to load; `nil` if it does not.
        var start: ContinuousClock.Instant?
        /// The source of the image that the stand-in is of; empty if there is none.
        var standIn = ""
        /// True if a thumbnail was looked for.
        var isAsked = false
        var sign: Widget?
    }

    var isLoading: Bool { loading.start != nil }

    /// True if it shows something of the image before that is loaded.
    var hasStandIn: Bool { !loading.standIn.isEmpty && loading.standIn == source }

    /// Handles another phase of the image.
    func phaseChanged(_ phase: BindingPhase) {
        // The next image has another stand-in.
        if case .empty = phase { removeStandIn() }
        guard phase.isLoading != isLoading else { return }
        loading.start = phase.isLoading ? ContinuousClock.now : nil
        loading.isAsked = false
        isBusy = false
        grid?.loading.changed(self)
    }

    /// Handles another source, whose request the image has already.
    func sourceChanged(_ hash: ListedHash?) {
        isBusy = false
        loading.isAsked = false
        if isLoading { loading.start = ContinuousClock.now }
        if loading.standIn != source { removeStandIn() }
        if let hash, image.binding.phase.response == nil { showStandIn(.blurHash(hash.text)) }
    }

    /// Shows something of the image until that is loaded.
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

    /// True if a sign shows that the image is loading.
    var isBusy: Bool {
        get { loading.sign?.isVisible ?? false }
        set {
            guard newValue != isBusy else { return }
            (loading.sign ?? makeSign()).isVisible = newValue
        }
    }

    /// Makes the sign. It does not move: spinners would have the window painted for each frame, which on a slow machine
    /// leaves the main actor no time to deliver the images.
    private func makeSign() -> Widget {
        let sign: Widget = gtk_image_new_from_icon_name("content-loading-symbolic")
        gtk_image_set_pixel_size(sign.opaque, 24)
        gtk_widget_add_css_class(sign, "dim-label")
        gtk_widget_set_halign(sign, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(sign, GTK_ALIGN_CENTER)
        gtk_widget_set_can_target(sign, 0)
        gtk_overlay_add_overlay(frame.opaque, sign)
        loading.sign = sign
        return sign
    }
}

/// Looks after the visible cells that load: a shared thumbnail of another size stands in, and where there is none, a
/// sign appears after a while.
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

    /// Handles a cell that has begun to load, or has ended.
    func changed(_ cell: GridCell) {
        cells[ObjectIdentifier(cell)] = cell.isLoading ? cell : nil
        guard watching == nil, !cells.isEmpty else { return }
        watching = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: CellThumbnails.delay)
                guard let self, self.look() else { return }
            }
        }
    }

    /// Returns whether a cell loads.
    private func look() -> Bool {
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
        guard !cell.loading.isAsked, let thumbnails, source.hasPrefix("/") else { return }
        cell.loading.isAsked = true
        Task { [weak cell] in
            guard let image = await thumbnails.standIn(for: source, CellThumbnails.cellStandIns), let cell,
                cell.source == source, cell.isLoading
            else { return }
            cell.showStandIn(.image(image))
        }
    }
}
#endif
