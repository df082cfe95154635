#if GTK
package import CGTK4

/// Reports the state of an image to assistive technology.
@MainActor
final class ImageAccessibility {
    private let widget: OpaquePointer
    private(set) var isBusy = false
    private var isFailed = false

    init(_ widget: UnsafeMutablePointer<GtkWidget>) { self.widget = OpaquePointer(widget) }

    /// Reports changes of the loading phase. Only changes, because cells of a list load several times a second.
    func announce(_ phase: BindingPhase) {
        let isLoading = phase.isLoading
        if isLoading != isBusy { set(GTK_ACCESSIBLE_STATE_BUSY, isLoading) }
        isBusy = isLoading
        let error = phase.error
        if isFailed || error != nil {
            let text = error.map { "could not be loaded: \($0.message)" }
            AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, of: widget)
        }
        isFailed = error != nil
    }

    /// Sets the label.
    func label(_ text: String?) { AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, text, of: widget) }

    /// Sets the value as text.
    func value(_ text: String?) { AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, of: widget) }

    /// Hides the widget from assistive technology, which sees its parent.
    func hide() { set(GTK_ACCESSIBLE_STATE_HIDDEN, true) }

    private func set(_ state: GtkAccessibleState, _ isSo: Bool) {
        var state = state
        var value = GValue()
        g_value_init(&value, GType.boolean)
        g_value_set_boolean(&value, isSo ? 1 : 0)
        gtk_accessible_update_state_value(widget, 1, &state, &value)
        g_value_unset(&value)
    }
}

/// Sets accessible properties.
@MainActor
package enum AccessibleText {
    /// Sets a property to a text; `nil` resets it.
    package static func set(_ property: GtkAccessibleProperty, _ text: String?, of widget: OpaquePointer) {
        guard let text else { return gtk_accessible_reset_property(widget, property) }
        var property = property
        var value = GValue()
        g_value_init(&value, GType.string)
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(widget, 1, &property, &value)
        g_value_unset(&value)
    }
}

extension GType {
    /// The value of the macro `G_TYPE_BOOLEAN`: fundamental types are numbered in steps of four.
    package static let boolean = GType(5 << 2)
    /// `G_TYPE_STRING`.
    package static let string = GType(16 << 2)
    /// `G_TYPE_OBJECT`.
    package static let object = GType(20 << 2)

    /// Registers a subclass whose instances have a value of type `Own` after the fields of an `Instance`.
    func derived<Class, Instance, Own>(_ name: String, _: Class.Type, _: Instance.Type, and _: Own.Type) -> GType {
        var info = GTypeInfo()
        info.class_size = UInt16(MemoryLayout<Class>.size)
        info.instance_size = UInt16(MemoryLayout<Instance>.size + MemoryLayout<Own>.size)
        return g_type_register_static(self, name, &info, GTypeFlags(rawValue: 0))
    }

    /// Creates an object. Fails only for an invalid type.
    package func make() -> UnsafeMutableRawPointer {
        guard let object = g_object_new_with_properties(self, 0, nil, nil) else { fatalError("GLib made no object") }
        return UnsafeMutableRawPointer(object)
    }

    /// Returns whether an object is of this type.
    package func holds(_ object: UnsafeMutableRawPointer) -> Bool {
        g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), self) != 0
    }
}
#endif
