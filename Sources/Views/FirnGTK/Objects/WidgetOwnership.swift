#if GTK
import CGTK4

/// Ties the lifetimes of a widget and its Swift object: each lives as long as the other is needed.
///
/// The Swift object holds a toggle reference to the widget. While there are other references to the widget (it is in
/// a window), the widget retains the Swift object. While there are none, only the references to the Swift object keep
/// it alive.
@MainActor
struct WidgetOwnership {
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let owner: UnsafeMutableRawPointer

    private static let toggled: GToggleNotify = { owner, _, isLast in
        guard let owner else { return }
        let object = Unmanaged<AnyObject>.fromOpaque(owner)
        if isLast != 0 { object.release() } else { _ = object.retain() }
    }

    /// Takes ownership of the floating reference of a new widget.
    init(_ widget: UnsafeMutablePointer<GtkWidget>, owner: AnyObject) {
        self.widget = widget
        self.owner = Unmanaged.passUnretained(owner).toOpaque()
        let object = UnsafeMutableRawPointer(widget)
        g_object_ref_sink(object)
        // Order: the toggle reference is added while a second reference exists, so that releasing that one is the first
        // toggle, which releases what is retained here.
        _ = Unmanaged.passUnretained(owner).retain()
        g_object_add_toggle_ref(object.assumingMemoryBound(to: GObject.self), WidgetOwnership.toggled, self.owner)
        g_object_unref(object)
    }

    /// Releases the widget when the Swift object ends.
    func end() {
        g_object_remove_toggle_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self), WidgetOwnership.toggled, owner)
    }
}

/// A weak reference that a collection can hold.
struct WeakReference<Object: AnyObject> {
    weak var object: Object?
}
#endif
