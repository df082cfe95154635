import CGTK4
public import FirnImage
import Synchronization

/// A picture as a `GdkTexture`, over the same bytes.
///
/// The texture keeps the picture's buffer alive and gives it back when GTK is done with it; no pixel is copied for the
/// layouts that GDK takes as they are: `bgra8Premultiplied`, `rgba8Straight`, `rgb8`, and half floats in linear light are not
/// among them and are converted.
///
/// A picture in several cells is one texture, which GTK's GL renderer uploads once: the picture knows its texture.
@MainActor
public final class PictureTexture {
    /// The `GdkTexture`. Valid as long as this object, or a reference that its user takes.
    public let pointer: OpaquePointer
    /// Columns and rows.
    public let size: PixelSize
    /// Whether nothing shows through.
    let isOpaque: Bool
    private let bitmap: Bitmap

    /// The texture of a picture; the same one for as long as somebody has it.
    ///
    /// - Throws: ``/FirnImage/BitmapError`` if the picture has to be converted and that fails, or if GDK makes no texture of it.
    public static func of(_ bitmap: Bitmap) throws -> PictureTexture {
        if let known = bitmap.companion { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        let bitmap = try bitmap.inLayoutOfTextures()
        guard let pointer = bitmap.makeTexture() else { throw BitmapError.unusable(bitmap.size) }
        return PictureTexture(pointer, bitmap)
    }

    /// How many there are: for tests that look for leaks.
    package static var liveCount: Int { TextureBytes.count.load(ordering: .relaxed) }

    private init(_ pointer: OpaquePointer, _ bitmap: Bitmap) {
        self.pointer = pointer
        self.bitmap = bitmap
        size = bitmap.size
        isOpaque = bitmap.isOpaque
        bitmap.companion = Unmanaged.passUnretained(self).toOpaque()
    }

    isolated deinit {
        bitmap.companion = nil
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}

extension Bitmap {
    /// How GDK names the layout; `nil` for one that it does not take.
    var memoryFormat: GdkMemoryFormat? {
        switch format {
        case .bgra8Premultiplied: GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
        case .rgba8Straight: GDK_MEMORY_R8G8B8A8
        case .rgb8: GDK_MEMORY_R8G8B8
        // 16 bits straight: GDK has only premultiplied. Half floats: ours are linear light, GDK's are encoded.
        case .rgba16Straight, .rgbaHalfPremultiplied: nil
        }
    }

    /// The picture in a layout that GDK takes; itself where it is.
    func inLayoutOfTextures() throws -> Bitmap {
        memoryFormat == nil ? try converted(to: .bgra8Premultiplied) : self
    }

    /// A new texture over the bytes of the picture.
    func makeTexture() -> OpaquePointer? {
        guard let memoryFormat else { return nil }
        let bytes = retainedBytes()
        TextureBytes.count.wrappingAdd(1, ordering: .relaxed)
        let content = g_bytes_new_with_free_func(
            bytes.base, gsize(cost),
            { owner in
                guard let owner else { return }
                TextureBytes.count.wrappingSubtract(1, ordering: .relaxed)
                Bitmap.releaseBytes(owner)
            }, bytes.owner)
        defer { g_bytes_unref(content) }
        let size = size
        // What is larger than GDK counts was not decoded: the limits are far below.
        return gdk_memory_texture_new(
            gint(clamping: size.width), gint(clamping: size.height), memoryFormat, content, gsize(bytesPerRow))
    }
}

/// Buffers that textures hold.
private enum TextureBytes {
    static let count = Atomic<Int>(0)
}
