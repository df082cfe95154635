#if GTK
package import CGTK4

/// A Swift object that paints a widget; see ``PaintedWidgetClass``.
@MainActor
protocol PaintedWidget: AnyObject {
    /// The natural size of the widget, in GTK's units.
    var naturalSize: PixelSize? { get }

    func paint(into snapshot: OpaquePointer)
    func wasResized(width: Int, height: Int)
    func wasMapped()
    func wasUnmapped()
}

/// A GObject class of widgets that Swift objects paint.
///
/// An instance stores one pointer after GTK's fields: an unowned reference to its Swift object; see
/// ``WidgetOwnership``.
@MainActor
struct PaintedWidgetClass {
    let type: GType

    /// The owner of a widget.
    private final class Owner {
        unowned let object: any PaintedWidget
        init(_ object: any PaintedWidget) { self.object = object }
    }

    /// Registers a class. Its accessible role is that of an image.
    ///
    /// - Parameter more: extends the class, for example by actions.
    init(
        _ name: String, cssName: String, _ more: @MainActor (UnsafeMutablePointer<GtkWidgetClass>) -> Void = { _ in }
    ) {
        type = gtk_widget_get_type().derived(
            name, GtkWidgetClass.self, GtkWidget.self, and: UnsafeMutableRawPointer?.self)
        // Order: before the first widget is made. The class is never released.
        guard let widgetClass = g_type_class_ref(type)?.assumingMemoryBound(to: GtkWidgetClass.self) else { return }
        PaintedWidgetClass.fill(widgetClass)
        gtk_widget_class_set_css_name(widgetClass, cssName)
        gtk_widget_class_set_accessible_role(widgetClass, GTK_ACCESSIBLE_ROLE_IMG)
        more(widgetClass)
    }

    // MARK: Instances

    /// Creates a widget with a floating reference.
    func make() -> UnsafeMutablePointer<GtkWidget> { type.make().assumingMemoryBound(to: GtkWidget.self) }

    /// Sets the object that paints a widget. Set `nil` before the object is deinitialized.
    static func setOwner(_ object: (any PaintedWidget)?, of widget: UnsafeMutablePointer<GtkWidget>) {
        let slot = slot(widget)
        if let former = slot.pointee { Unmanaged<Owner>.fromOpaque(former).release() }
        slot.pointee = object.map { Unmanaged.passRetained(Owner($0)).toOpaque() }
    }

    /// Returns the object of a widget of such a class.
    static func owner(of widget: UnsafeMutablePointer<GtkWidget>?) -> (any PaintedWidget)? {
        guard let widget, let owner = slot(widget).pointee else { return nil }
        return Unmanaged<Owner>.fromOpaque(owner).takeUnretainedValue().object
    }

    private static func slot(
        _ widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (UnsafeMutableRawPointer(widget) + MemoryLayout<GtkWidget>.size)
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    // MARK: The class

    private typealias Widget = UnsafeMutablePointer<GtkWidget>?

    /// The functions of `GtkWidget` itself.
    private static var parent: UnsafeMutablePointer<GtkWidgetClass>? {
        g_type_class_peek(gtk_widget_get_type())?.assumingMemoryBound(to: GtkWidgetClass.self)
    }

    private static func fill(_ widgetClass: UnsafeMutablePointer<GtkWidgetClass>) {
        let snapshot: @MainActor @convention(c) (Widget, OpaquePointer?) -> Void = { widget, snapshot in
            if let snapshot { PaintedWidgetClass.owner(of: widget)?.paint(into: snapshot) }
        }
        SignalClosure.assign(snapshot, to: &widgetClass.pointee.snapshot)
        let allocate: @MainActor @convention(c) (Widget, gint, gint, gint) -> Void = { widget, width, height, _ in
            PaintedWidgetClass.owner(of: widget)?.wasResized(width: Int(width), height: Int(height))
        }
        SignalClosure.assign(allocate, to: &widgetClass.pointee.size_allocate)
        let map: @MainActor @convention(c) (Widget) -> Void = { widget in
            PaintedWidgetClass.parent?.pointee.map?(widget)
            PaintedWidgetClass.owner(of: widget)?.wasMapped()
        }
        SignalClosure.assign(map, to: &widgetClass.pointee.map)
        let unmap: @MainActor @convention(c) (Widget) -> Void = { widget in
            PaintedWidgetClass.owner(of: widget)?.wasUnmapped()
            PaintedWidgetClass.parent?.pointee.unmap?(widget)
        }
        SignalClosure.assign(unmap, to: &widgetClass.pointee.unmap)
        let measure:
            @MainActor @convention(c) (
                Widget, GtkOrientation, gint, UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?,
                UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?
            ) -> Void = { widget, orientation, _, minimum, natural, _, _ in
                minimum?.pointee = 0
                let size = PaintedWidgetClass.owner(of: widget)?.naturalSize
                let length = orientation == GTK_ORIENTATION_HORIZONTAL ? size?.width : size?.height
                natural?.pointee = gint(clamping: length ?? 0)
            }
        SignalClosure.assign(measure, to: &widgetClass.pointee.measure)
    }
}

/// Functions of GTK as a whole.
@MainActor
package enum GTKLibrary {
    /// Initializes GTK unless it is initialized.
    static func start() {
        if gtk_is_initialized() == 0 { gtk_init() }
    }

    /// Returns whether the user's settings allow animations.
    package static func isAnimating(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        guard let settings = gtk_widget_get_settings(widget) else { return false }
        var value = GValue()
        g_value_init(&value, GType.boolean)
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
        return g_value_get_boolean(&value) != 0
    }
}

/// Ties the lifetimes of a widget and its Swift object together.
///
/// The Swift object holds a toggle reference to the widget. While there are other references to the widget (it is in a
/// window), the widget retains the Swift object. Otherwise only references to the Swift object keep both alive.
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
        // Order: the toggle reference is added while a second reference exists. Releasing that one is the first toggle,
        // which balances this retain.
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
