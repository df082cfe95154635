#if GTK
import CGTK4
import FirnGTK

/// The grid: cells of one size with captions in as many columns as fit, and headings if the images are sorted by date.
@MainActor
final class GalleryGrid {
    /// The scrolled window.
    let widget: Widget
    let context: BindingContext
    let factory: ImageListFactory
    let scroll: ImageListScroll
    /// Shows stand-ins in loading cells.
    let loading: CellLoading
    /// The window of the grid.
    weak var window: GalleryWindow?
    /// Shows other content than the image in a cell; for measurements.
    var display: ((FirnPicture, Int) -> Void)?

    /// The duration of the fade-in.
    static let fade = Duration.milliseconds(120)

    private let view: Widget
    private let model = CountModel()
    private let selection: OpaquePointer
    private var layout: GridLayout { didSet { enableRubberband() } }
    private var width = 0
    /// The selected images by their indices in the whole list, which sorting does not change.
    private var chosen: Set<Int> = []

    /// The width and height of the image of a cell.
    var cell: Int { didSet { if cell != oldValue { fitColumns(isNew: true) } } }

    /// The images in the shown order.
    let images: GalleryList
    /// True if images are enlarged until the columns fill the width.
    var fillsWidth = true

    /// - Parameter thumbnails: the store of stand-ins for loading images; `nil` for none.
    init(
        pipeline: ImagePipeline, images: GalleryList, cell: Int, policy: ImageReusePolicy, solid: Bool,
        thumbnails: CellThumbnails? = nil
    ) {
        self.cell = cell
        loading = CellLoading(thumbnails)
        self.images = images
        let gray = ImagePlaceholder.color(SRGBColor(red: 128, green: 128, blue: 128, alpha: 40))
        var options = ImageLoadingOptions(
            placeholder: gray, failureImage: gray, transition: .fadeIn(duration: GalleryGrid.fade), contentMode: .fill)
        options.isProgressiveRenderingEnabled = false
        context = BindingContext.gtk(pipeline: pipeline, policy: policy, options: options)
        layout = GridLayout(count: images.count, columns: 1)
        let link = Link()
        factory = ImageListFactory(
            context: context, makeCell: { GridCell($0, in: link.grid).widget },
            request: { link.grid?.request(at: $0.position) })
        factory.cellSize = PixelSize(cell)
        g_object_ref(UnsafeMutableRawPointer(model.pointer))
        selection = gtk_multi_selection_new(model.pointer)
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        view = gtk_grid_view_new(selection, factory.pointer)
        widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(widget.opaque, view)
        // The columns fit the width only after a layout, so the window may be narrower than they are.
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_EXTERNAL, GTK_POLICY_AUTOMATIC)
        gtk_widget_set_vexpand(widget, 1)
        gtk_widget_add_css_class(view, "gallery")
        scroll = ImageListScroll(of: factory, in: widget, itemCount: images.count) { link.grid?.request(at: $0) }
        link.grid = self
        model.resize(to: images.count)
        enableRubberband()
        if solid {
            display = { image, place in
                image.display(DisplayedContent(.placeholder, color: GalleryGrid.color(place)))
            }
        }
        scroll.rowAtOffset = { [weak self] offset in self?.row(at: offset) }
        connect()
        connectSelecting()
    }

    /// Returns the row at an offset if there are headings, whose rows are lower.
    private func row(at offset: Double) -> Double? {
        guard layout.hasHeadings else { return nil }
        var (heading, image): (Double?, Double?) = (nil, nil)
        var position = scroll.visible.lowerBound / layout.columns * layout.columns
        while position < scroll.visible.upperBound, heading == nil || image == nil {
            // The first cell of a row: a month's last row may end with empty cells, too.
            if layout.image(position) == nil {
                heading = heading ?? height(of: position)
            } else {
                image = image ?? height(of: position)
            }
            position += layout.columns
        }
        heights = (heading ?? heights.heading, image ?? heights.image)
        return layout.row(at: offset, heading: heights.heading, image: heights.image)
    }

    /// Returns the height of a cell's row, with the padding of GTK's item; `nil` before its layout.
    private func height(of position: Int) -> Double? {
        let item = factory.cell(at: position).flatMap { GalleryGrid.item(of: $0) }
        return item?.bounds(in: view).map { Double($0.size.height) }
    }

    /// The latest heights of rows.
    private var heights = (heading: 48.0, image: 230.0)

    /// Refers the closures of the list to the grid, which is created later.
    @MainActor
    private final class Link { weak var grid: GalleryGrid? }

    private func connect() {
        images.onRemoval = { [weak self] indices in
            guard let self else { return }
            self.chosen = Set(self.chosen.filter(indices.indices.contains).compactMap { indices[$0].map { Int($0) } })
        }
        factory.didBind = { [weak self] image, item in self?.bound(image, item) }
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, tr("Images"), of: view.opaque)
        SignalClosure.connectNumber(view.object, "activate") { [weak self] position in
            guard let self, let place = self.layout.image(Int(position)) else { return }
            self.window?.open(place)
        }
        SignalClosure.connect(UnsafeMutableRawPointer(selection), "selection-changed") { [weak self] in
            self?.selectionChanged()
        }
        SignalClosure.connect(widget.object, "destroy") { [weak self] in self?.isDestroyed = true }
        guard let across = gtk_scrolled_window_get_hadjustment(widget.opaque) else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(across), "changed") { [weak self] in
            // Order: not during a layout, which GTK's grid does not support.
            Task { self?.fitColumns() }
        }
    }

    // MARK: Cells

    private func request(at position: Int) -> ImageRequest? {
        layout.image(position).flatMap { images.request($0) }
    }

    private func bound(_ shown: FirnPicture, _ item: ImageListItem) {
        let slot = layout.slot(item.position)
        let place = layout.image(item.position)
        let image = place.flatMap { images.indices.contains($0) ? images[$0] : nil }
        GridCell.of(item.cell)?.show(slot, image, item: item.listItem)
        if let place { display?(shown, place) }
    }

    /// Returns the bound cells of a range of positions, with the places of their images.
    func cells(in positions: Range<Int>) -> [(place: Int, image: FirnPicture)] {
        positions.compactMap { position in
            guard let place = layout.image(position), images.indices.contains(place) else { return nil }
            return factory.cell(at: position).map { (place, $0) }
        }
    }

    /// Returns whether a cell is on the screen.
    func isVisible(_ cell: GridCell) -> Bool {
        cell.place.map { scroll.visible.contains(layout.position(of: $0)) } ?? false
    }

    /// Returns the image widget of a place if a cell is bound to it.
    func image(of place: Int) -> FirnPicture? { factory.cell(at: layout.position(of: place)) }

    /// Shows the current list. Keeps the cells, the scroll position and the selection.
    func refresh() {
        show {
            model.resize(to: layout.count)
            factory.rebind()
        }
    }

    /// Lays out the list, and selects the images that are still shown.
    private func show(columns: Int? = nil, _ change: () -> Void) {
        let places = chosen.isEmpty ? [] : images.indices.filter { chosen.contains(images.index($0)) }
        // Order: also if none of them is left, because GTK's selection is by position, which now has another image.
        gtk_selection_model_unselect_all(selection)
        layout = GridLayout(sections: images.sections, count: images.count, columns: columns ?? layout.columns)
        change()
        scroll.itemCount = layout.count
        if let set = gtk_bitset_new_empty() {
            for place in places { gtk_bitset_add(set, guint(clamping: layout.position(of: place))) }
            gtk_selection_model_set_selection(selection, set, set)
            gtk_bitset_unref(set)
        }
        // Order: GTK reports no change if the selected items were replaced.
        selectionChanged()
    }

    private func selectionChanged() {
        let places = selected
        chosen = Set(places.map { images.index($0) })
        window?.selection.show(places.count, isSelecting: isSelecting)
    }

    /// Handles appended images. Keeps the bound cells unless the list is sorted.
    func appended() {
        guard images.order == .found else { return refresh() }
        layout = GridLayout(count: images.count, columns: layout.columns)
        model.resize(to: layout.count)
        scroll.itemCount = layout.count
    }

    /// Shows the list from its start.
    func replaced() { show { model.replace(with: layout.count) } }

    /// The failed images on the screen.
    var failed: [FirnPicture] { cells(in: scroll.visible).map(\.image).filter { $0.binding.phase.error != nil } }

    /// Retries the failed images on the screen.
    func retry() { for image in failed { image.retry() } }

    // MARK: Selection and focus

    /// The places of the selected images, in order.
    var selected: [Int] {
        guard let set = gtk_selection_model_get_selection(selection) else { return [] }
        defer { gtk_bitset_unref(set) }
        let count = gtk_bitset_get_size(set)
        return (0..<count).compactMap { layout.image(Int(gtk_bitset_get_nth(set, guint($0)))) }
            .filter(images.indices.contains)
    }

    /// Selects an image, alone or in addition to others.
    func select(_ place: Int, alone: Bool = true) {
        gtk_selection_model_select_item(selection, guint(clamping: layout.position(of: place)), alone ? 1 : 0)
    }

    /// Selects all images.
    func selectAll() { gtk_selection_model_select_all(selection) }

    /// Clears the selection.
    func unselect() { gtk_selection_model_unselect_all(selection) }

    /// True while a click selects an image or removes it from the selection. Cells then have check marks.
    var isSelecting = false {
        didSet {
            factory.rebind()
            selectionChanged()
        }
    }

    /// Selects images by clicks while ``isSelecting`` is true. A long press of a finger begins that.
    private func connectSelecting() {
        guard let click = gtk_gesture_click_new(), let press = gtk_gesture_long_press_new() else { return }
        gtk_event_controller_set_propagation_phase(click, GTK_PHASE_CAPTURE)
        gtk_gesture_single_set_touch_only(press, 1)
        SignalClosure.connectClick(UnsafeMutableRawPointer(click), "released") { [weak self] _, x, y in
            guard let self, self.isSelecting, let place = self.place(x, y) else { return }
            // Otherwise GTK would select this image alone.
            gtk_gesture_set_state(click, GTK_EVENT_SEQUENCE_CLAIMED)
            self.toggle(place)
        }
        SignalClosure.connectPoint(UnsafeMutableRawPointer(press), "pressed") { [weak self] x, y in
            guard let self, !self.isSelecting, let place = self.place(x, y) else { return }
            gtk_gesture_set_state(press, GTK_EVENT_SEQUENCE_CLAIMED)
            self.window?.actions.perform("select")
            self.toggle(place)
        }
        for gesture in [click, press] { gtk_widget_add_controller(view, gesture) }
    }

    /// Returns the place of the image at a point of the grid; `nil` for none.
    private func place(_ x: Double, _ y: Double) -> Int? {
        var widget = gtk_widget_pick(view, x, y, GTK_PICK_DEFAULT)
        while let found = widget, found != view {
            if let cell = GridCell.of(found) ?? gtk_widget_get_first_child(found).flatMap({ GridCell.of($0) }) {
                return cell.place
            }
            widget = found.parent
        }
        return nil
    }

    private func toggle(_ place: Int) {
        let position = guint(clamping: layout.position(of: place))
        if gtk_selection_model_is_selected(selection, position) != 0 {
            gtk_selection_model_unselect_item(selection, position)
        } else {
            select(place, alone: false)
        }
    }

    /// The cell that has the focus.
    var focused: GridCell? {
        guard let root = gtk_widget_get_root(view), let focus = gtk_root_get_focus(root),
            gtk_widget_is_ancestor(focus, view) != 0, let child = gtk_widget_get_first_child(focus)
        else { return nil }
        return GridCell.of(child)
    }

    /// Moves the keyboard focus to the grid, or to the image at a place.
    func focus(on place: Int? = nil) {
        var target = view
        if let place, images.indices.contains(place) {
            let position = layout.position(of: place)
            if !scroll.visible.contains(position) {
                gtk_widget_activate_action_variant(view, "list.scroll-to-item", g_variant_new_uint32(guint(position)))
            }
            target = factory.cell(at: position).flatMap { GalleryGrid.item(of: $0) } ?? view
        }
        gtk_widget_grab_focus(target)
    }

    /// The item widget of GTK's list around a cell.
    static func item(of image: FirnPicture) -> Widget? { image.widget.parent?.parent?.parent }

    /// Moves the focus past headings, at which GTK's grid would stop. Returns whether the key was handled.
    func moveFocus(_ key: Int32) -> Bool {
        guard layout.hasHeadings, let from = focused?.place else { return false }
        let page = max(1, scroll.visible.count / layout.columns - 1)
        let steps: [Int32: (columns: Int, rows: Int)] = [
            GDK_KEY_Left: (-1, 0), GDK_KEY_Right: (1, 0), GDK_KEY_Up: (0, -1), GDK_KEY_Down: (0, 1),
            GDK_KEY_Page_Up: (0, -page), GDK_KEY_Page_Down: (0, page), GDK_KEY_Home: (-images.count, 0),
            GDK_KEY_End: (images.count, 0),
        ]
        guard let step = steps[key] else { return false }
        let to = layout.step(from: from, columns: step.columns, rows: step.rows)
        focus(on: to)
        select(to)
        return true
    }

    /// True while files are dragged out of the grid.
    ///
    /// GTK would also draw a rubber band and never remove it, because the grid gets no event at the end of a drag.
    var isDragging = false { didSet { enableRubberband() } }

    /// Not without images, about which GTK warns.
    private func enableRubberband() {
        gtk_grid_view_set_enable_rubberband(view.opaque, isDragging || layout.count == 0 ? 0 : 1)
    }

    /// Returns the files to drag with a cell: those of all selected images if its own is selected.
    func dragged(from cell: GridCell) -> [String] {
        guard let place = cell.place else { return [] }
        let places = selected.contains(place) ? selected : [place]
        return places.compactMap { images[$0].path }
    }

    // MARK: Columns

    /// The space between two columns, and at both sides.
    private static let gap = 12

    private var isDestroyed = false

    private func fitColumns(isNew: Bool = false) {
        // The window may be closed before a call that waited for the end of a layout.
        guard !isDestroyed else { return }
        let width = Int(gtk_widget_get_width(widget))
        guard width > 0, isNew || width != self.width else { return }
        self.width = width
        // At least two columns, if necessary with smaller images.
        let columns = max(2, width / (cell + GalleryGrid.gap))
        let room = (width - GalleryGrid.gap) / columns - GalleryGrid.gap
        let side = max(16, fillsWidth ? room : min(cell, room))
        if factory.cellSize != PixelSize(side) {
            factory.cellSize = PixelSize(side)
            factory.resizeCells()
        }
        guard columns != layout.columns else { return }
        show(columns: columns) {
            // Order: the minimum never exceeds the maximum.
            gtk_grid_view_set_min_columns(view.opaque, 1)
            gtk_grid_view_set_max_columns(view.opaque, guint(columns))
            gtk_grid_view_set_min_columns(view.opaque, guint(columns))
            scroll.columns = columns
            if layout.hasHeadings { model.replace(with: layout.count) }
        }
    }

    /// Returns a plain color for a place.
    private static func color(_ place: Int) -> SRGBColor {
        SRGBColor(
            red: UInt8(40 + place * 37 % 180), green: UInt8(40 + place * 71 % 180), blue: UInt8(40 + place * 113 % 180))
    }
}
#endif
