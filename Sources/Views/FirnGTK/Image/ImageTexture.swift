#if GTK
import CGTK4
public import FirnImage
import Synchronization

/// An image as a `GdkTexture` over the same bytes.
///
/// The texture retains the image's buffer and releases it when GTK no longer uses it. No pixel is copied for the
/// layouts that GDK accepts: `bgra8Premultiplied`, `rgba8Straight`, `rgb8`. Other layouts, such as half floats in
/// linear light, are converted.
///
/// An image in several cells has one texture, which GTK's GL renderer uploads once: the bitmap stores a reference to
/// its texture.
@MainActor
public final class ImageTexture {
    /// The `GdkTexture`. Valid as long as this object lives or the program holds a reference.
    public let pointer: OpaquePointer
    /// The size in pixels.
    public let size: PixelSize
    /// Whether all pixels are opaque.
    let isOpaque: Bool
    // Safety: not retained here; the texture retains it, and this object retains the texture.
    private let owner: UnsafeMutableRawPointer

    /// Returns the texture of an image; the same one for as long as a reference to it exists.
    ///
    /// - Throws: ``/FirnImage/BitmapError`` if the image has to be converted and that fails, or if GDK cannot make a
    ///   texture of it.
    public static func of(_ bitmap: Bitmap) throws -> ImageTexture {
        if let known = bitmap.companion { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        let bytes = bitmap.retainedBytes()
        if let layout = bytes.format.memoryFormat { return try ImageTexture(bytes, layout) }
        Bitmap.releaseBytes(bytes.owner)
        let converted = try bitmap.converted(to: .bgra8Premultiplied)
        return try ImageTexture(converted.retainedBytes(), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED)
    }

    /// The number of living textures; tests use it to find leaks.
    package static var liveCount: Int { made - TextureBytes.released.load(ordering: .relaxed) }

    /// The number of buffers that were passed to textures.
    private static var made = 0

    /// Takes ownership of the bytes.
    private init(_ bytes: Bitmap.RetainedBytes, _ layout: GdkMemoryFormat) throws {
        ImageTexture.made += 1
        let content = g_bytes_new_with_free_func(
            bytes.base, gsize(bytes.count),
            { owner in
                guard let owner else { return }
                TextureBytes.released.wrappingAdd(1, ordering: .relaxed)
                Bitmap.releaseBytes(owner)
            }, bytes.owner)
        defer { g_bytes_unref(content) }
        // The clamping never takes effect: the decoding limits are far below GDK's largest size.
        guard
            let pointer = gdk_memory_texture_new(
                gint(clamping: bytes.size.width), gint(clamping: bytes.size.height), layout, content,
                gsize(bytes.bytesPerRow))
        else { throw BitmapError.unusable(bytes.size) }
        self.pointer = pointer
        owner = bytes.owner
        size = bytes.size
        isOpaque = bytes.isOpaque
        Bitmap.setCompanion(Unmanaged.passUnretained(self).toOpaque(), of: owner)
    }

    isolated deinit {
        // Order: the companion is removed first, since the bytes may be freed with the texture.
        Bitmap.setCompanion(nil, of: owner)
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}

extension PixelFormat {
    /// GDK's name of the layout; `nil` if GDK does not accept it.
    fileprivate var memoryFormat: GdkMemoryFormat? {
        switch self {
        case .bgra8Premultiplied: GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
        case .rgba8Straight: GDK_MEMORY_R8G8B8A8
        case .rgb8: GDK_MEMORY_R8G8B8
        // GDK's 16-bit layouts are only premultiplied, ours is straight; GDK's half floats are encoded, ours are
        // linear light.
        case .rgba16Straight, .rgbaHalfPremultiplied: nil
        }
    }
}

/// Counts the buffers that textures have released, on any thread.
private enum TextureBytes {
    static let released = Atomic<Int>(0)
}
#endif
