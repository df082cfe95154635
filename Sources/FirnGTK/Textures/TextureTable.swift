import CGTK4
import FirnImage
import FirnSync

/// The textures that somebody has, by the address of their pixels: a picture in several cells is one texture, which GTK's GL
/// renderer uploads once.
///
/// Invariant: an entry is there as long as its texture's bytes are, so its address names no other picture.
final class TextureTable: Sendable {
    static let shared = TextureTable()

    private let entries = Locked<[UInt: WeakTexture]>([:])

    /// How many textures there are.
    var count: Int { entries.withLock { $0.count } }

    /// The texture of a picture, whose layout is one of GDK's.
    ///
    /// - Throws: ``BitmapError/unusable(_:)`` if GDK makes none.
    func texture(of bitmap: Bitmap) throws(BitmapError) -> ObjectReference {
        let key = bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        if let texture = entries.withLock({ $0[key]?.strong() }) { return ObjectReference(adopting: texture) }
        let entry = WeakTexture()
        let made = bitmap.makeTexture { [self] in
            entries.withLock { if $0[key] === entry { $0[key] = nil } }
        }
        guard let made else { throw .unusable(bitmap.size) }
        entry.point(to: made)
        entries.withLock { $0[key] = entry }
        return ObjectReference(adopting: made)
    }
}

/// A reference that does not keep its texture.
///
/// Safety: `GWeakRef` may be asked and ended on any thread; it is set once, before the entry is shared.
private final class WeakTexture: @unchecked Sendable {
    private let reference: UnsafeMutablePointer<GWeakRef>

    init() {
        reference = .allocate(capacity: 1)
        reference.initialize(to: GWeakRef())
        g_weak_ref_init(reference, nil)
    }

    func point(to texture: OpaquePointer) { g_weak_ref_set(reference, UnsafeMutableRawPointer(texture)) }

    /// A strong reference, while there is one to be had.
    func strong() -> OpaquePointer? { g_weak_ref_get(reference).map { OpaquePointer($0) } }

    deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }
}
