#if GTK
import CGTK4

/// A `GListModel` that knows only its number of items: an item is its position. A hundred thousand items cost as much
/// as one.
@MainActor
package final class PlaceModel {
    /// The `GListModel`. Valid as long as this object, or a reference of its user.
    package let pointer = OpaquePointer(PlaceModel.type.make())

    /// The number of items.
    private var count = 0

    /// Creates a model without items.
    package init() {}

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// Appends items, or removes the last ones.
    package func resize(to new: Int) {
        let before = count
        guard new != before else { return }
        set(new)
        let (removed, added) = (max(0, before - new), max(0, new - before))
        g_list_model_items_changed(
            pointer, guint(clamping: min(before, new)), guint(clamping: removed), guint(clamping: added))
    }

    /// Replaces all items.
    package func replace(with new: Int) {
        let before = count
        set(new)
        g_list_model_items_changed(pointer, 0, guint(clamping: before), guint(clamping: new))
    }

    private func set(_ new: Int) {
        count = new
        PlaceModel.slot(UnsafeMutableRawPointer(pointer)).pointee = guint(clamping: new)
    }

    // MARK: The class

    private static let type: GType = {
        var info = GTypeInfo()
        info.class_size = UInt16(MemoryLayout<GObjectClass>.size)
        // One number after GObject's own fields: the number of items.
        info.instance_size = UInt16(MemoryLayout<GObject>.size + MemoryLayout<guint>.stride)
        let type = g_type_register_static(.object, "FirnPlaceModel", &info, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo()
        interface.interface_init = { interface, _ in
            guard let interface = interface?.assumingMemoryBound(to: GListModelInterface.self) else { return }
            interface.pointee.get_item_type = { _ in .object }
            interface.pointee.get_n_items = { $0.map { PlaceModel.slot(UnsafeMutableRawPointer($0)).pointee } ?? 0 }
            interface.pointee.get_item = { model, place in
                guard let model, place < PlaceModel.slot(UnsafeMutableRawPointer(model)).pointee else { return nil }
                return GType.object.make()
            }
        }
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    private nonisolated static func slot(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<guint> {
        (object + MemoryLayout<GObject>.size).assumingMemoryBound(to: guint.self)
    }
}
#endif
