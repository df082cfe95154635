#if GTK
public import CGTK4

/// An item of a list's model, as ``ImageListFactory`` passes it to its closures.
@MainActor
public struct ImageListItem {
    /// The position in the model.
    public let position: Int
    /// The item itself, a GObject of the model's type; borrowed.
    public let object: OpaquePointer
    /// The widget of the cell: what ``ImageListFactory`` got from `makeCell`, or the image's own widget.
    public let cell: UnsafeMutablePointer<GtkWidget>
    /// The `GtkListItem`; borrowed.
    package let listItem: OpaquePointer

    /// The text of an item of a `GtkStringList`; empty for items of other models.
    public var string: String {
        guard gtk_string_object_get_type().holds(UnsafeMutableRawPointer(object)) else { return "" }
        return String(cString: gtk_string_object_get_string(object))
    }
}
#endif
