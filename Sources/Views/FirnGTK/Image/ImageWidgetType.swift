#if GTK
import CGTK4
import FirnImage

/// The GObject class behind ``FirnPicture``: a widget without children that its `FirnPicture` paints.
///
/// An instance stores one pointer after GTK's own fields: its `FirnPicture`, not retained (see ``WidgetOwnership``).
@MainActor
enum ImageWidgetType {
    static let type: GType = {
        var info = GTypeInfo()
        info.class_size = UInt16(MemoryLayout<GtkWidgetClass>.size)
        info.instance_size = UInt16(MemoryLayout<GtkWidget>.size + MemoryLayout<UnsafeMutableRawPointer?>.size)
        let initialize: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { widgetClass, _ in
            guard let widgetClass else { return }
            ImageWidgetType.fill(widgetClass.assumingMemoryBound(to: GtkWidgetClass.self))
        }
        info.class_init = unsafeBitCast(initialize, to: GClassInitFunc.self)
        return g_type_register_static(gtk_widget_get_type(), "FirnPicture", &info, GTypeFlags(rawValue: 0))
    }()

    private static var parent: UnsafeMutablePointer<GtkWidgetClass>?

    /// Creates a widget with a floating reference.
    static func make() -> UnsafeMutablePointer<GtkWidget>? {
        g_object_new_with_properties(type, 0, nil, nil).map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self)
        }
    }

    /// Returns the address of the `FirnPicture` pointer in an instance.
    static func slot(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (UnsafeMutableRawPointer(widget) + MemoryLayout<GtkWidget>.size)
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    static func image(of widget: UnsafeMutablePointer<GtkWidget>?) -> FirnPicture? {
        guard let widget, let image = slot(widget).pointee else { return nil }
        return Unmanaged<FirnPicture>.fromOpaque(image).takeUnretainedValue()
    }

    private typealias Widget = UnsafeMutablePointer<GtkWidget>?
    private typealias WidgetFunction = @convention(c) (Widget) -> Void

    private static func fill(_ widgetClass: UnsafeMutablePointer<GtkWidgetClass>) {
        parent = g_type_class_peek_parent(widgetClass)?.assumingMemoryBound(to: GtkWidgetClass.self)
        let snapshot: @MainActor @convention(c) (Widget, OpaquePointer?) -> Void = { widget, snapshot in
            if let snapshot { ImageWidgetType.image(of: widget)?.paint(into: snapshot) }
        }
        widgetClass.pointee.snapshot = unsafeBitCast(
            snapshot, to: (@convention(c) (Widget, OpaquePointer?) -> Void).self)
        let allocate: @MainActor @convention(c) (Widget, gint, gint, gint) -> Void = { widget, width, height, _ in
            ImageWidgetType.image(of: widget)?.wasResized(width: Int(width), height: Int(height))
        }
        widgetClass.pointee.size_allocate = unsafeBitCast(
            allocate, to: (@convention(c) (Widget, gint, gint, gint) -> Void).self)
        let map: @MainActor @convention(c) (Widget) -> Void = { widget in
            ImageWidgetType.parent?.pointee.map?(widget)
            ImageWidgetType.image(of: widget)?.wasMapped()
        }
        widgetClass.pointee.map = unsafeBitCast(map, to: WidgetFunction.self)
        let unmap: @MainActor @convention(c) (Widget) -> Void = { widget in
            ImageWidgetType.image(of: widget)?.wasUnmapped()
            ImageWidgetType.parent?.pointee.unmap?(widget)
        }
        widgetClass.pointee.unmap = unsafeBitCast(unmap, to: WidgetFunction.self)
        let measure:
            @MainActor @convention(c) (
                Widget, GtkOrientation, gint, UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?,
                UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?
            ) -> Void = { widget, orientation, _, minimum, natural, _, _ in
                minimum?.pointee = 0
                let size = ImageWidgetType.image(of: widget)?.naturalSize
                let length = orientation == GTK_ORIENTATION_HORIZONTAL ? size?.width : size?.height
                natural?.pointee = gint(clamping: length ?? 0)
            }
        widgetClass.pointee.measure = unsafeBitCast(
            measure,
            to: (@convention(c) (
                Widget, GtkOrientation, gint, UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?,
                UnsafeMutablePointer<gint>?, UnsafeMutablePointer<gint>?
            ) -> Void).self)
        gtk_widget_class_set_css_name(widgetClass, "firnpicture")
        gtk_widget_class_set_accessible_role(widgetClass, GTK_ACCESSIBLE_ROLE_IMG)
    }
}
#endif
