import CGTK4

/// A strong reference to a GObject, given back when the last copy of it is gone.
///
/// Safety: GObject counts references atomically, so the owner may be let go on any thread. Meant for objects that may end
/// on any thread, such as textures; a widget has to end on the main thread.
final class ObjectReference: @unchecked Sendable {
    /// The object.
    let pointer: OpaquePointer

    /// Takes over a reference that the caller has.
    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    /// Takes a reference of its own.
    convenience init(retaining pointer: OpaquePointer) {
        g_object_ref(UnsafeMutableRawPointer(pointer))
        self.init(adopting: pointer)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }
}
