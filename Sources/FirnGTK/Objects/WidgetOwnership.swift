import CGTK4

/// A widget and its Swift object, each living as long as the other is needed.
///
/// The Swift object has a toggle reference to the widget. While others have the widget too (it is in a window), the widget
/// keeps the Swift object; while only the Swift object has it, nothing keeps the Swift object but its users.
@MainActor
struct WidgetOwnership {
    private let widget: UnsafeMutablePointer<GtkWidget>
    private let owner: UnsafeMutableRawPointer

    private static let toggled: GToggleNotify = { owner, _, isLast in
        guard let owner else { return }
        let object = Unmanaged<AnyObject>.fromOpaque(owner)
        if isLast != 0 { object.release() } else { _ = object.retain() }
    }

    /// Takes over the floating reference of a new widget.
    init(_ widget: UnsafeMutablePointer<GtkWidget>, owner: AnyObject) {
        self.widget = widget
        self.owner = Unmanaged.passUnretained(owner).toOpaque()
        let object = UnsafeMutableRawPointer(widget)
        g_object_ref_sink(object)
        // Order: added while there is a second reference, so that giving that one back is the first toggle, which
        // releases what is retained here.
        _ = Unmanaged.passUnretained(owner).retain()
        g_object_add_toggle_ref(object.assumingMemoryBound(to: GObject.self), WidgetOwnership.toggled, self.owner)
        g_object_unref(object)
    }

    /// Gives the widget back, when the Swift object ends.
    func end() {
        g_object_remove_toggle_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self), WidgetOwnership.toggled, owner)
    }
}
