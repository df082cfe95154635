#if GTK
public import CGTK4

/// A widget, or an object that has one: ``FirnPicture``, ``FirnImageList``, ``FirnZoomView``, and the pointers of GTK.
@MainActor
public protocol FirnWidget {
    /// The widget, for use in a window.
    var widget: UnsafeMutablePointer<GtkWidget> { get }
}

extension FirnPicture: FirnWidget {}
extension FirnImageList: FirnWidget {}
extension FirnZoomView: FirnWidget {}

/// Conversions between GTK's classes, which Swift imports as unrelated types.
///
/// ```swift
/// let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
/// box.append(FirnPicture("https://example.org/photo.jpg"))
/// gtk_window_set_child(window.cast(), box)
/// ```
extension UnsafeMutablePointer: FirnWidget where Pointee == GtkWidget {
    /// The widget itself.
    public var widget: UnsafeMutablePointer<GtkWidget> { self }

    /// The widget for functions of classes whose structures are private, such as `GtkScrolledWindow`.
    public var opaque: OpaquePointer { OpaquePointer(self) }

    /// Returns the widget for functions of classes whose structures are public, such as `GtkWindow`. `Class` must be a
    /// class of the widget, which is not checked.
    public func cast<Class>(_ type: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// Adds a widget at the end of this `GtkBox`. For a widget of another class, GTK prints a warning and adds nothing.
    @MainActor public func append(_ child: some FirnWidget) { gtk_box_append(cast(), child.widget) }
}
#endif
