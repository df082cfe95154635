#if GTK
import CGTK4

/// Observes the application's windows, and notifies pipelines when no window is visible anymore.
///
/// A window is visible if it is mapped and its surface is neither minimized nor suspended. Since GTK 4.12, compositors
/// report a suspended surface: minimized, on another workspace, or covered. Older versions report only minimized
/// windows.
@MainActor
final class BackgroundWatch {
    static let shared = BackgroundWatch()

    /// The time without a visible window after which the application counts as in the background. It is not in the
    /// background while it replaces one window by another.
    private static let delayMilliseconds: guint = 1_000
    /// `GDK_TOPLEVEL_STATE_SUSPENDED`, which is in the headers since GTK 4.12; older versions never set it.
    private static let suspended: guint = 1 << 16

    private var pipelines: [ObjectIdentifier: WeakReference<ImagePipeline>] = [:]
    private var visibility = WindowVisibility<UnsafeMutableRawPointer>()
    private var windows: Set<UnsafeMutableRawPointer> = []
    private var timer: guint = 0
    private var isStarted = false

    /// Adds a pipeline to notify, for as long as it lives.
    func add(_ pipeline: ImagePipeline) {
        pipelines = pipelines.filter { $0.value.object != nil }
        pipelines[ObjectIdentifier(pipeline)] = WeakReference(object: pipeline)
    }

    /// Starts observing. GTK must be initialized. Does nothing if called again.
    func start() {
        guard !isStarted else { return }
        isStarted = true
        guard let list = gtk_window_get_toplevels() else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(list), "items-changed") { [weak self] in self?.findWindows() }
        findWindows()
    }

    // MARK: Windows

    private func findWindows() {
        guard let list = gtk_window_get_toplevels() else { return }
        var current: Set<UnsafeMutableRawPointer> = []
        for position in 0..<g_list_model_get_n_items(list) {
            guard let window = g_list_model_get_item(list, position) else { continue }
            current.insert(window)
            g_object_unref(window)
        }
        let new = current.subtracting(windows)
        windows = current
        perform(visibility.keep(current))
        for window in new { watch(window) }
    }

    /// Connects to a window; GTK removes the handlers together with the window.
    private func watch(_ window: UnsafeMutableRawPointer) {
        for signal in ["map", "unmap"] {
            SignalClosure.connect(window, signal) { [weak self] in self?.look(at: window) }
        }
        SignalClosure.connect(window, "realize") { [weak self] in self?.watchSurface(of: window) }
        watchSurface(of: window)
        look(at: window)
    }

    /// Connects to the surface of a window, which exists once the window is realized; GTK removes the handler with the
    /// surface.
    private func watchSurface(of window: UnsafeMutableRawPointer) {
        guard let surface = BackgroundWatch.surface(of: window) else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(surface), "notify::state") { [weak self] in
            self?.look(at: window)
        }
    }

    private func look(at window: UnsafeMutableRawPointer) {
        // A surface may report its state after its window was removed from the list.
        guard windows.contains(window) else { return }
        perform(visibility.set(window, isVisible: BackgroundWatch.isVisible(window)))
    }

    private static func surface(of window: UnsafeMutableRawPointer) -> OpaquePointer? {
        gtk_native_get_surface(OpaquePointer(window))
    }

    /// Returns whether a window is mapped, and its surface neither minimized nor suspended.
    static func isVisible(_ window: UnsafeMutableRawPointer) -> Bool {
        guard gtk_widget_get_mapped(window.assumingMemoryBound(to: GtkWidget.self)) != 0,
            let surface = surface(of: window)
        else { return false }
        guard gdk_toplevel_get_type().holds(UnsafeMutableRawPointer(surface)) else { return true }
        return gdk_toplevel_get_state(surface).rawValue & (GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | suspended) == 0
    }

    // MARK: Reactions

    /// Starts the timer when the last visible window is gone, and stops it when there is one again.
    private func perform(_ isVisible: Bool?) {
        guard let isVisible, isVisible == (timer != 0) else { return }
        if isVisible {
            g_source_remove(timer)
            timer = 0
        } else {
            timer = LoopCall.every(BackgroundWatch.delayMilliseconds) { [self] in
                timer = 0
                if !visibility.isVisible { for entry in pipelines.values { entry.object?.didEnterBackground() } }
                return false
            }
        }
    }
}

/// Tracks which windows are visible, and decides when the application enters the background. A value: events in,
/// decisions out.
///
/// The application is in the background while it has no visible window, but not before its first window appeared.
struct WindowVisibility<Window: Hashable> {
    private var visible: Set<Window> = []

    /// True if any window is visible.
    var isVisible: Bool { !visible.isEmpty }

    /// Records whether a window is visible now.
    ///
    /// - Returns: whether any window is visible; `nil` if that has not changed.
    mutating func set(_ window: Window, isVisible isSeen: Bool) -> Bool? {
        let before = isVisible
        if isSeen { visible.insert(window) } else { visible.remove(window) }
        return isVisible == before ? nil : isVisible
    }

    /// Removes all windows but these.
    ///
    /// - Returns: whether any window is visible; `nil` if that has not changed.
    mutating func keep(_ windows: Set<Window>) -> Bool? {
        let before = isVisible
        visible.formIntersection(windows)
        return isVisible == before ? nil : isVisible
    }
}

/// Observes whether any part of a mapped widget is visible: inside every ancestor that clips it, not fully transparent,
/// in a window that is neither minimized nor suspended (see ``BackgroundWatch``).
///
/// Widgets painted over the widget are not considered. Visibility changes only with a frame of the window, so the check
/// runs after each frame and costs nothing in an idle window.
@MainActor
final class VisibilityWatch {
    private(set) var isVisible = false
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let changed: @MainActor (Bool) -> Void
    private var handlers: [SignalHandler] = []

    /// - Parameter changed: called when the visibility has changed.
    init(_ widget: UnsafeMutablePointer<GtkWidget>, changed: @escaping @MainActor (Bool) -> Void) {
        self.widget = widget
        self.changed = changed
    }

    /// Starts observing if the widget is mapped. Does nothing if called again.
    func start() {
        guard handlers.isEmpty, gtk_widget_get_mapped(widget) != 0 else { return }
        if let clock = gtk_widget_get_frame_clock(widget) { connect(UnsafeMutableRawPointer(clock), "after-paint") }
        if let surface = window.flatMap({ gtk_native_get_surface(OpaquePointer($0)) }) {
            connect(UnsafeMutableRawPointer(surface), "notify::state")
        }
        look()
    }

    /// Stops observing. From then on the widget counts as not visible.
    func stop() {
        handlers = []
        set(false)
    }

    private func connect(_ object: UnsafeMutableRawPointer, _ signal: String) {
        handlers.append(SignalHandler(object, SignalClosure.connect(object, signal) { [weak self] in self?.look() }))
    }

    private func look() { set(window.map { BackgroundWatch.isVisible($0) } == true && hasVisiblePart) }

    private func set(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        changed(isVisible)
    }

    private var window: UnsafeMutableRawPointer? { gtk_widget_get_root(widget).map { UnsafeMutableRawPointer($0) } }

    // MARK: The position in the window

    /// True if a part of the widget is inside the window and inside every widget that clips its children.
    private var hasVisiblePart: Bool {
        var (left, top) = (0.0, 0.0)
        var (right, bottom) = (Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        var current = widget
        while left < right, top < bottom, gtk_widget_get_opacity(current) > 0 {
            guard let parent = gtk_widget_get_parent(current) else { return true }
            var corners = (x: (0.0, 0.0), y: (0.0, 0.0))
            guard gtk_widget_translate_coordinates(current, parent, left, top, &corners.x.0, &corners.y.0) != 0,
                gtk_widget_translate_coordinates(current, parent, right, bottom, &corners.x.1, &corners.y.1) != 0
            else { return false }
            (left, right) = (min(corners.x.0, corners.x.1), max(corners.x.0, corners.x.1))
            (top, bottom) = (min(corners.y.0, corners.y.1), max(corners.y.0, corners.y.1))
            let isRoot = gtk_widget_get_parent(parent) == nil
            if isRoot || gtk_widget_get_overflow(parent) == GTK_OVERFLOW_HIDDEN {
                (left, top) = (max(left, 0), max(top, 0))
                right = min(right, Double(gtk_widget_get_width(parent)))
                bottom = min(bottom, Double(gtk_widget_get_height(parent)))
            }
            current = parent
        }
        return false
    }
}
#endif
