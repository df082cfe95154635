public import CGTK4
public import FirnPipeline

/// Follows a list's scrolling: tells the cells how much of them is on the screen, and loads ahead of it.
///
/// ```swift
/// let scroll = ImageListScroll(of: factory, in: scrolled, itemCount: paths.count, columns: 6) { place in
///     ImageRequest(path: paths[place])
/// }
/// ```
/// GTK binds several times more cells than are on the screen. Of those, and of the items that are ahead in the direction
/// and at the speed of scrolling, what is visible comes first; what falls behind is no longer loaded.
@MainActor
public final class ImageListScroll {
    /// What is visible and what is ahead.
    public private(set) var tracker: ViewportTracker
    /// Loads what is ahead; `nil` for nothing.
    public var prefetcher: ImagePrefetcher?
    private let factory: ImageListFactory
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    private let request: (@MainActor (Int) -> ImageRequest?)?
    private var handlers: [gulong] = []
    private var restTimer: guint = 0
    /// When the list last moved.
    private var lastMove = Duration.zero
    /// What was visible, and where the list stood, when the cells were last told.
    private var told: (visible: Range<Int>, offset: Double) = (0..<0, 0)

    /// - Parameters:
    ///   - scrolledWindow: a `GtkScrolledWindow` around the list, which scrolls vertically.
    ///   - itemCount: how many items the model has; see ``itemCount``.
    ///   - columns: cells side by side; see ``columns``.
    ///   - prefetch: the image of an item that is ahead, as the factory's closure has it; `nil`, the default, to load
    ///     nothing ahead.
    public init(
        of factory: ImageListFactory, in scrolledWindow: UnsafeMutablePointer<GtkWidget>, itemCount: Int,
        columns: Int = 1, prefetch: (@MainActor (Int) -> ImageRequest?)? = nil
    ) {
        self.factory = factory
        adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolledWindow))
        g_object_ref(UnsafeMutableRawPointer(adjustment))
        request = prefetch
        tracker = ViewportTracker(layout: ViewportTracker.Layout(itemCount: itemCount, columns: columns, rowExtent: 0))
        if prefetch != nil { prefetcher = ImagePrefetcher(pipeline: factory.context.pipeline) }
        for signal in ["value-changed", "changed"] {
            handlers.append(
                SignalClosure.connect(UnsafeMutableRawPointer(adjustment), signal) { [weak self] in
                    self?.update()
                })
        }
        factory.visibility = { [weak self] place in
            guard let self, self.tracker.layout.rowExtent > 0 else { return 1 }
            return self.tracker.visibility(of: place)
        }
        update()
    }

    isolated deinit {
        factory.context.isInMotion = false
        for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(adjustment), handler) }
        if restTimer != 0 { g_source_remove(restTimer) }
        g_object_unref(UnsafeMutableRawPointer(adjustment))
    }

    /// How many items the model has. To be set when it changes.
    public var itemCount: Int {
        get { tracker.layout.itemCount }
        set {
            tracker.layout.itemCount = newValue
            update()
        }
    }

    /// Cells side by side. To be set when it changes.
    public var columns: Int {
        get { tracker.layout.columns }
        set {
            tracker.layout.columns = max(1, newValue)
            update()
        }
    }

    /// The items of which at least a part is on the screen.
    public var visible: Range<Int> { tracker.visible }

    /// What is loaded ahead, by its place: as it was asked for, so that the same is stopped.
    private var wishes: [Int: ImageRequest] = [:]

    private func wish(_ place: Int) -> ImageRequest? {
        let wish = request?(place).flatMap { factory.asCellsDo($0) }
        wishes[place] = wish
        return wish
    }

    private func update() {
        let rows = (tracker.layout.itemCount + tracker.layout.columns - 1) / max(1, tracker.layout.columns)
        // The list is as long as its rows: exact, unless rows differ, which those of images do not.
        let length = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_lower(adjustment)
        tracker.layout.rowExtent = rows > 0 ? length / Double(rows) : 0
        let offset = gtk_adjustment_get_value(adjustment)
        lastMove = MonotonicTime.duration
        let change = tracker.scroll(to: offset, extent: gtk_adjustment_get_page_size(adjustment), at: lastMove)
        // Which cells are seen matters at once; how much of each, a little later.
        if change.visible != told.visible || abs(offset - told.offset) > tracker.layout.rowExtent / 4 {
            told = (change.visible, offset)
            tellCells()
        }
        apply(change)
        awaitRest()
    }

    private func tellCells() {
        guard tracker.layout.rowExtent > 0 else { return }
        for (place, image) in factory.bound { image.binding.visibility = tracker.visibility(of: place) }
    }

    private func apply(_ change: ViewportTracker.Change) {
        factory.context.isInMotion = tracker.isFast
        guard let prefetcher else { return }
        var stopped = change.stop.compactMap { wishes.removeValue(forKey: $0) }
        // What has come onto the screen is the cells' matter. It does not stay with the prefetcher either, which would come to
        // it when it has long gone by.
        if !wishes.isEmpty { stopped += change.visible.compactMap { wishes.removeValue(forKey: $0) } }
        if !stopped.isEmpty { prefetcher.stopPrefetching(with: stopped) }
        // GTK binds cells well ahead of the screen, and those load for themselves, as urgent as this would be.
        let started = change.start.compactMap { factory.bound[$0] == nil ? wish($0) : nil }
        if !started.isEmpty { prefetcher.startPrefetching(with: started) }
    }

    /// Looks again once nothing has moved for a while.
    ///
    /// One timer for a whole movement: another for each of its frames would be most of what following it costs.
    private func awaitRest() {
        guard restTimer == 0 else { return }
        let call: @MainActor @convention(c) (gpointer?) -> gboolean = { scroll in
            guard let scroll else { return 0 }
            return Unmanaged<ImageListScroll>.fromOpaque(scroll).takeUnretainedValue().rest() ? 0 : 1
        }
        restTimer = g_timeout_add_full(
            GLibMainExecutor.defaultPriority, ImageListScroll.restMilliseconds,
            unsafeBitCast(call, to: GSourceFunc.self),
            Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    /// How often is looked, and how long nothing has to have moved for the list to be at rest.
    private static let restMilliseconds: guint = 50
    private static let rest = Duration.milliseconds(100)

    /// - Returns: whether it is.
    private func rest() -> Bool {
        let now = MonotonicTime.duration
        guard now - lastMove >= ImageListScroll.rest else { return false }
        restTimer = 0
        tellCells()
        apply(tracker.rest(at: now))
        return true
    }
}
