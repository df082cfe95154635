#if GTK
import CGTK4

/// Observes whether any pixel of a mapped widget can be seen: a part of it is inside everything that clips it, it is
/// not fully transparent, and its window is neither minimized nor suspended (see ``BackgroundWatch``).
///
/// It does not know of widgets that are painted over the widget. What is visible in a window changes only with a frame
/// of the window, so the watch looks after each frame, and costs nothing in a window at rest.
@MainActor
final class VisibilityWatch {
    private(set) var isVisible = false
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let changed: @MainActor (Bool) -> Void
    /// The connected objects, which are retained, and the handlers.
    private var handlers: [(object: UnsafeMutableRawPointer, handler: gulong)] = []

    /// - Parameter changed: called when the visibility has changed.
    init(_ widget: UnsafeMutablePointer<GtkWidget>, changed: @escaping @MainActor (Bool) -> Void) {
        self.widget = widget
        self.changed = changed
    }

    isolated deinit { disconnect() }

    /// Starts to observe a widget that is mapped. Does nothing if called again.
    func start() {
        guard handlers.isEmpty, gtk_widget_get_mapped(widget) != 0 else { return }
        if let clock = gtk_widget_get_frame_clock(widget) { connect(UnsafeMutableRawPointer(clock), "after-paint") }
        if let surface = window.flatMap({ gtk_native_get_surface(OpaquePointer($0)) }) {
            connect(UnsafeMutableRawPointer(surface), "notify::state")
        }
        look()
    }

    /// Stops to observe: the widget is not visible from then on.
    func stop() {
        disconnect()
        set(false)
    }

    private func connect(_ object: UnsafeMutableRawPointer, _ signal: String) {
        g_object_ref(object)
        handlers.append((object, SignalClosure.connect(object, signal) { [weak self] in self?.look() }))
    }

    private func disconnect() {
        for (object, handler) in handlers {
            g_signal_handler_disconnect(object, handler)
            g_object_unref(object)
        }
        handlers = []
    }

    private func look() { set(isWindowVisible && hasVisiblePart) }

    private func set(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        changed(isVisible)
    }

    // MARK: The window

    private var window: UnsafeMutableRawPointer? { gtk_widget_get_root(widget).map { UnsafeMutableRawPointer($0) } }

    private var isWindowVisible: Bool { window.map { BackgroundWatch.isVisible($0) } ?? false }

    // MARK: The place in the window

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
