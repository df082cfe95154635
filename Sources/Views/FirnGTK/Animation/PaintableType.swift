#if GTK
import CGTK4
import Firn

/// The GObject class behind ``AnimatedPaintable``. An instance stores one pointer after the fields of `GObject`: its
/// player, retained.
@MainActor
enum PaintableType {
    static let type: GType = {
        var info = GTypeInfo()
        info.class_size = UInt16(MemoryLayout<GObjectClass>.size)
        info.instance_size = UInt16(MemoryLayout<GObject>.size + MemoryLayout<UnsafeMutableRawPointer?>.size)
        let type = g_type_register_static(.object, "FirnAnimatedPaintable", &info, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo()
        g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
        // Order: after the interface was added, and before the first object is made. The class is never released.
        if let objectClass = g_type_class_ref(type) {
            fill(objectClass.assumingMemoryBound(to: GObjectClass.self))
            let interface = g_type_interface_peek(objectClass, gdk_paintable_get_type())
            if let interface { adopt(interface.assumingMemoryBound(to: GdkPaintableInterface.self)) }
        }
        return type
    }()

    private static var parent: UnsafeMutablePointer<GObjectClass>?

    /// Returns the address of the player pointer in an instance.
    static func slot(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (object + MemoryLayout<GObject>.size).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private static func texture(of paintable: OpaquePointer?) -> ImageTexture? {
        guard let paintable, let player = slot(UnsafeMutableRawPointer(paintable)).pointee else { return nil }
        return Unmanaged<AnimationPlayer>.fromOpaque(player).takeUnretainedValue().texture
    }

    private static func fill(_ objectClass: UnsafeMutablePointer<GObjectClass>) {
        parent = g_type_class_peek_parent(objectClass)?.assumingMemoryBound(to: GObjectClass.self)
        let finalize: @MainActor @convention(c) (UnsafeMutablePointer<GObject>?) -> Void = { object in
            if let object {
                let slot = PaintableType.slot(UnsafeMutableRawPointer(object))
                if let player = slot.pointee { Unmanaged<AnimationPlayer>.fromOpaque(player).release() }
                slot.pointee = nil
            }
            PaintableType.parent?.pointee.finalize?(object)
        }
        SignalClosure.assign(finalize, to: &objectClass.pointee.finalize)
    }

    private static func adopt(_ interface: UnsafeMutablePointer<GdkPaintableInterface>) {
        let snapshot: @MainActor @convention(c) (OpaquePointer?, OpaquePointer?, Double, Double) -> Void = {
            paintable, snapshot, width, height in
            guard let snapshot, let texture = PaintableType.texture(of: paintable) else { return }
            var bounds = graphene_rect_t(x: 0, y: 0, width: width, height: height)
            gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
        }
        SignalClosure.assign(snapshot, to: &interface.pointee.snapshot)
        let width: @MainActor @convention(c) (OpaquePointer?) -> gint = {
            gint(clamping: PaintableType.texture(of: $0)?.size.width ?? 0)
        }
        SignalClosure.assign(width, to: &interface.pointee.get_intrinsic_width)
        let height: @MainActor @convention(c) (OpaquePointer?) -> gint = {
            gint(clamping: PaintableType.texture(of: $0)?.size.height ?? 0)
        }
        SignalClosure.assign(height, to: &interface.pointee.get_intrinsic_height)
        let image: @MainActor @convention(c) (OpaquePointer?) -> OpaquePointer? = { paintable in
            guard let texture = PaintableType.texture(of: paintable) else { return gdk_paintable_new_empty(0, 0) }
            g_object_ref(UnsafeMutableRawPointer(texture.pointer))
            return texture.pointer
        }
        SignalClosure.assign(image, to: &interface.pointee.get_current_image)
    }
}
#endif
