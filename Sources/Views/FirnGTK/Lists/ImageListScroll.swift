#if GTK
public import CGTK4

/// Observes a list's scrolling: sets the visible share of each cell, and prefetches the items ahead.
///
/// ```swift
/// let scroll = ImageListScroll(
///     of: factory, in: scrolled, itemCount: paths.count, columns: 6
/// ) { place in
///     ImageRequest(path: paths[place])
/// }
/// ```
/// GTK binds several times more cells than are visible. Visible items load first. The items ahead depend on the
/// direction and speed of scrolling. Prefetching stops for items that fall behind.
@MainActor
public final class ImageListScroll {
    /// Tracks the visible range and the range ahead.
    package private(set) var tracker: ViewportTracker
    /// Prefetches the items ahead; `nil` disables prefetching.
    public var prefetcher: ImagePrefetcher?
    private let cells: ImageListCells
    /// The position of the list, which ``handlers`` retain.
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    /// The `GtkScrolledWindow`; `nil` once it is destroyed.
    private var scrolledWindow: UnsafeMutablePointer<GtkWidget>?
    /// The list while it does not follow ``adjustment``; only compared.
    private var heldList: UnsafeMutableRawPointer?
    private let request: (@MainActor (Int) -> ImageRequest?)?
    /// Returns the row at an offset, with its fraction above the offset, for a list whose rows differ in height; `nil`
    /// if all rows have one height.
    package var rowAtOffset: (@MainActor (Double) -> Double?)?
    private var handlers: [SignalHandler] = []
    private var restTimer: guint = 0
    /// The time of the list's last movement.
    private var lastMove = Duration.zero
    private var lastOffset = 0.0
    /// The visible range and the scroll offset at the last report to the cells.
    private var reported: (visible: Range<Int>, offset: Double) = (0..<0, 0)

    /// Observes a list whose cells an ``ImageListFactory`` creates; see
    /// ``init(of:in:itemCount:columns:prefetch:)-(ImageListCells,_,_,_,_)``.
    public convenience init(
        of factory: ImageListFactory, in scrolledWindow: UnsafeMutablePointer<GtkWidget>, itemCount: Int,
        columns: Int = 1, prefetch: (@MainActor (Int) -> ImageRequest?)? = nil
    ) {
        self.init(
            of: factory.cells, in: scrolledWindow, itemCount: itemCount, columns: columns, prefetch: prefetch)
    }

    /// Observes a list of any factory.
    ///
    /// - Parameters:
    ///   - cells: the bound cells of the list.
    ///   - scrolledWindow: a `GtkScrolledWindow` around the list, which scrolls vertically.
    ///   - itemCount: the number of items in the model; see ``itemCount``.
    ///   - columns: the number of cells side by side; see ``columns``.
    ///   - prefetch: returns the image of an item ahead, as the factory's closure does; `nil` (the default) disables
    ///     prefetching.
    public init(
        of cells: ImageListCells, in scrolledWindow: UnsafeMutablePointer<GtkWidget>, itemCount: Int,
        columns: Int = 1, prefetch: (@MainActor (Int) -> ImageRequest?)? = nil
    ) {
        self.cells = cells
        adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolledWindow))
        self.scrolledWindow = scrolledWindow
        request = prefetch
        tracker = ViewportTracker(itemCount: itemCount, columns: columns, rowExtent: 0)
        if prefetch != nil { prefetcher = ImagePrefetcher(pipeline: cells.context.pipeline) }
        for signal in ["value-changed", "changed"] {
            let object = UnsafeMutableRawPointer(adjustment)
            let handler = SignalClosure.connect(object, signal) { [weak self] in self?.update() }
            handlers.append(SignalHandler(object, handler))
        }
        SignalClosure.connect(UnsafeMutableRawPointer(scrolledWindow), "destroy") { [weak self] in
            self?.scrolledWindow = nil
        }
        cells.visibility = { [weak self] position in
            guard let self, self.tracker.rowExtent > 0 else { return 1 }
            return self.tracker.visibility(of: position)
        }
        update()
    }

    isolated deinit {
        releaseList()
        cells.context.isInMotion = false
        cells.context.isScrolling = false
        if restTimer != 0 { g_source_remove(restTimer) }
    }

    /// The number of items in the model. Set it when the model changes.
    public var itemCount: Int {
        get { tracker.itemCount }
        set {
            tracker.itemCount = newValue
            holdList()
            update()
        }
    }

    /// Keeps the list from following the adjustment until its next layout, which sets both.
    ///
    /// Before it, new rows have no height. GTK's list then finds no row at a position, and warns.
    private func holdList() {
        guard heldList == nil, let scrolledWindow, gtk_widget_get_mapped(scrolledWindow) != 0,
            let list = gtk_scrolled_window_get_child(OpaquePointer(scrolledWindow))
        else { return }
        heldList = UnsafeMutableRawPointer(list)
        g_signal_handlers_block_matched(adjustment, G_SIGNAL_MATCH_DATA, 0, 0, nil, nil, heldList)
        LoopCall.eachFrame(of: scrolledWindow) { [weak self] in
            AfterLayout.run { [weak self] in self?.releaseList() }
            return false
        }
    }

    private func releaseList() {
        guard let heldList else { return }
        g_signal_handlers_unblock_matched(adjustment, G_SIGNAL_MATCH_DATA, 0, 0, nil, nil, heldList)
        self.heldList = nil
    }

    /// The number of cells side by side. Set it when the layout changes.
    public var columns: Int {
        get { tracker.columns }
        set {
            tracker.columns = max(1, newValue)
            update()
        }
    }

    /// The items that are at least partly visible.
    public var visible: Range<Int> { tracker.visible }

    /// The prefetch requests by position, as they were started, so that the same requests can be stopped.
    private var prefetched: [Int: ImageRequest] = [:]

    private func update() {
        let rows = (tracker.itemCount + tracker.columns - 1) / max(1, tracker.columns)
        // The list's length divided by its rows: exact if all rows have the same height, as rows of images do.
        let length = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_lower(adjustment)
        tracker.rowExtent = rows > 0 ? length / Double(rows) : 0
        let offset = gtk_adjustment_get_value(adjustment)
        let now = Duration.monotonic()
        // A single movement is a jump, after which all cores load the new cells.
        if offset != lastOffset, now - lastMove < ImageListScroll.pause { cells.context.isScrolling = true }
        (lastMove, lastOffset) = (now, offset)
        let change = look(at: now)
        // A change of the visible cells is reported at once; a change of their visible shares may be reported a little
        // later.
        if change.visible != reported.visible || abs(offset - reported.offset) > tracker.rowExtent / 4 {
            // Other cells keep their share, except at the first report.
            if tracker.rowExtent > 0, !reported.visible.isEmpty {
                for positions in [reported.visible, change.visible] {
                    cells.report(positions) { tracker.visibility(of: $0) }
                }
            } else {
                reportVisibility()
            }
            reported = (change.visible, offset)
        }
        apply(change)
        // One timer for a whole movement: one for each frame would be most of the cost of observing it.
        guard restTimer == 0 else { return }
        restTimer = LoopCall.every(ImageListScroll.restMilliseconds) { [weak self] in self?.rest() == false }
    }

    /// Updates the tracker.
    private func look(at time: Duration) -> ViewportTracker.Change {
        let offset = gtk_adjustment_get_value(adjustment)
        let page = gtk_adjustment_get_page_size(adjustment)
        guard let first = rowAtOffset?(offset), let last = rowAtOffset?(offset + page) else {
            return tracker.scroll(to: offset, extent: page, at: time)
        }
        tracker.rowExtent = 1
        return tracker.scroll(to: first, extent: last - first, at: time)
    }

    /// Reports to all cells how visible they are.
    private func reportVisibility() {
        if tracker.rowExtent > 0 { cells.report(cells.bound.keys) { tracker.visibility(of: $0) } }
    }

    private func apply(_ change: ViewportTracker.Change) {
        cells.context.isInMotion = tracker.isFast
        guard let prefetcher else { return }
        // Performance: loops, since a closure of this actor that the standard library calls is checked at each call.
        var stopped: [ImageRequest] = []
        func stop(_ positions: some Sequence<Int>) {
            for position in positions {
                if let request = prefetched.removeValue(forKey: position) { stopped.append(request) }
            }
        }
        stop(change.stop)
        // Visible cells load their own images. A prefetch request of one could start after the cell has scrolled away.
        if !prefetched.isEmpty { stop(change.visible) }
        if !stopped.isEmpty { prefetcher.stopPrefetching(with: stopped) }
        guard !change.start.isEmpty, let request else { return }
        var started: [ImageRequest] = []
        let size = cells.cellSize
        // GTK binds cells well ahead of the screen. Those cells load their own images, at the priority of prefetching.
        for position in change.start where cells.bound[position] == nil {
            guard let request = request(position).flatMap({ cells.asCellsDo($0, size) }) else { continue }
            prefetched[position] = request
            started.append(request)
        }
        if !started.isEmpty { prefetcher.startPrefetching(with: started) }
    }

    /// The interval of the checks, and the time without movement after which the list is at rest.
    private static let restMilliseconds: guint = 50
    private static let rest = Duration.milliseconds(100)
    /// The longest time between two movements while the list scrolls: some frames.
    private static let pause = Duration.milliseconds(50)

    /// - Returns: whether the list is at rest.
    private func rest() -> Bool {
        let now = Duration.monotonic()
        if now - lastMove >= ImageListScroll.pause { cells.context.isScrolling = false }
        guard now - lastMove >= ImageListScroll.rest else { return false }
        restTimer = 0
        // The adjustment changes before the layout of the cells, so rows of different heights are measured again.
        if rowAtOffset != nil { apply(look(at: lastMove)) }
        reportVisibility()
        apply(tracker.rest(at: now))
        return true
    }
}
#endif
