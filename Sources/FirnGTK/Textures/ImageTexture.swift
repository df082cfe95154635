import CGTK4
public import FirnImage
import Synchronization

/// An image as a `GdkTexture`, over the same bytes.
///
/// The texture keeps the image's buffer alive and gives it back when GTK is done with it; no pixel is copied for the
/// layouts that GDK takes as they are: `bgra8Premultiplied`, `rgba8Straight`, `rgb8`, and half floats in linear light are not
/// among them and are converted.
///
/// An image in several cells is one texture, which GTK's GL renderer uploads once: the image knows its texture.
@MainActor
public final class ImageTexture {
    /// The `GdkTexture`. Valid as long as this object, or a reference that its user takes.
    public let pointer: OpaquePointer
    /// Columns and rows.
    public let size: PixelSize
    /// Whether nothing shows through.
    let isOpaque: Bool
    // Safety: not retained here; the texture keeps it, which this object keeps.
    private let owner: UnsafeMutableRawPointer

    /// The texture of an image; the same one for as long as somebody has it.
    ///
    /// - Throws: ``/FirnImage/BitmapError`` if the image has to be converted and that fails, or if GDK makes no texture of it.
    public static func of(_ bitmap: Bitmap) throws -> ImageTexture {
        if let known = bitmap.companion { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        let bytes = bitmap.retainedBytes()
        if let layout = bytes.format.memoryFormat { return try ImageTexture(bytes, layout) }
        Bitmap.releaseBytes(bytes.owner)
        let converted = try bitmap.converted(to: .bgra8Premultiplied)
        return try ImageTexture(converted.retainedBytes(), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED)
    }

    /// How many there are: for tests that look for leaks.
    package static var liveCount: Int { made - TextureBytes.released.load(ordering: .relaxed) }

    /// Buffers that were given to textures.
    private static var made = 0

    /// Takes over the bytes.
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
        // What is larger than GDK counts was not decoded: the limits are far below.
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
        // Order: first, since the bytes may go with the texture.
        Bitmap.setCompanion(nil, of: owner)
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}

extension PixelFormat {
    /// How GDK names the layout; `nil` for one that it does not take.
    fileprivate var memoryFormat: GdkMemoryFormat? {
        switch self {
        case .bgra8Premultiplied: GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
        case .rgba8Straight: GDK_MEMORY_R8G8B8A8
        case .rgb8: GDK_MEMORY_R8G8B8
        // 16 bits straight: GDK has only premultiplied. Half floats: ours are linear light, GDK's are encoded.
        case .rgba16Straight, .rgbaHalfPremultiplied: nil
        }
    }
}

/// Buffers that textures have given back, on any thread.
private enum TextureBytes {
    static let released = Atomic<Int>(0)
}
