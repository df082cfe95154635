public import CGTK4
public import FirnPipeline

/// Follows a list's scrolling: tells the cells how much of them is on the screen, and loads ahead of it.
///
/// ```swift
/// let scroll = PictureListScroll(of: factory, in: scrolledWindow, itemCount: paths.count, columns: 6) { place in
///     ImageRequest(path: paths[place])
/// }
/// ```
/// GTK binds several times more cells than are on the screen. Of those, and of the items that are ahead in the direction
/// and at the speed of scrolling, what is visible comes first; what falls behind is no longer loaded.
@MainActor
public final class PictureListScroll {
    /// What is visible and what is ahead.
    public private(set) var tracker: ViewportTracker
    /// Loads what is ahead; `nil` for nothing.
    public var prefetcher: ImagePrefetcher?
    private let factory: PictureListFactory
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    private let request: (@MainActor (Int) -> ImageRequest?)?
    private var handlers: [gulong] = []
    private var restTimer: guint = 0

    /// - Parameters:
    ///   - scrolledWindow: a `GtkScrolledWindow` around the list, which scrolls vertically.
    ///   - itemCount: how many items the model has; see ``itemCount``.
    ///   - columns: cells side by side; see ``columns``.
    ///   - prefetch: the picture of an item that is ahead, as the factory's closure has it; `nil`, the default, to load
    ///     nothing ahead.
    public init(
        of factory: PictureListFactory, in scrolledWindow: UnsafeMutablePointer<GtkWidget>, itemCount: Int,
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
        // The list is as long as its rows: exact, unless rows differ, which those of pictures do not.
        let length = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_lower(adjustment)
        tracker.layout.rowExtent = rows > 0 ? length / Double(rows) : 0
        apply(
            tracker.scroll(
                to: gtk_adjustment_get_value(adjustment), extent: gtk_adjustment_get_page_size(adjustment),
                at: MonotonicTime.duration))
        awaitRest()
    }

    private func apply(_ change: ViewportTracker.Change) {
        factory.context.isInMotion = tracker.isFast
        if tracker.layout.rowExtent > 0 {
            for (place, picture) in factory.bound { picture.binding.visibility = tracker.visibility(of: place) }
        }
        guard let prefetcher else { return }
        let stopped = change.stop.compactMap { wishes.removeValue(forKey: $0) }
        if !stopped.isEmpty { prefetcher.stopPrefetching(with: stopped) }
        // What has come onto the screen is the cells' matter.
        for place in change.visible where !wishes.isEmpty { wishes[place] = nil }
        if !change.start.isEmpty { prefetcher.startPrefetching(with: change.start.compactMap(wish)) }
    }

    /// Looks again once nothing has moved for a while.
    private func awaitRest() {
        if restTimer != 0 { g_source_remove(restTimer) }
        let call: @MainActor @convention(c) (gpointer?) -> gboolean = { scroll in
            guard let scroll else { return 0 }
            Unmanaged<PictureListScroll>.fromOpaque(scroll).takeUnretainedValue().rest()
            return 0
        }
        restTimer = g_timeout_add_full(
            GLibMainExecutor.defaultPriority, 120, unsafeBitCast(call, to: GSourceFunc.self),
            Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    private func rest() {
        restTimer = 0
        apply(tracker.rest(at: MonotonicTime.duration))
    }
}
