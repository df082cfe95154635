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
        let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gtk_string_object_get_type()) != 0 else { return "" }
        return String(cString: gtk_string_object_get_string(object))
    }
}
#endif
