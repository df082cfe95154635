import CGTK4
public import FirnImage

/// A picture as a `GdkTexture`, over the same bytes.
///
/// The texture keeps the picture's buffer alive and gives it back when GTK is done with it; no pixel is copied for the
/// layouts that GDK takes as they are: `bgra8Premultiplied`, `rgba8Straight`, `rgb8`, and half floats in linear light are not
/// among them and are converted.
public final class PictureTexture: Sendable {
    private let reference: ObjectReference

    /// Columns and rows.
    public let size: PixelSize

    /// The `GdkTexture`. Valid as long as this object, or a reference that its user takes.
    public var pointer: OpaquePointer { reference.pointer }

    /// The texture of a picture; the same one for as long as somebody has it.
    ///
    /// - Throws: ``BitmapError`` if the picture has to be converted and that fails, or if GDK makes no texture of it.
    public static func of(_ bitmap: Bitmap) throws -> PictureTexture {
        let bitmap = try bitmap.inLayoutOfTextures()
        return PictureTexture(try TextureTable.shared.texture(of: bitmap), bitmap.size)
    }

    /// How many there are: for tests that look for leaks.
    package static var liveCount: Int { TextureTable.shared.count }

    init(_ reference: ObjectReference, _ size: PixelSize) {
        self.reference = reference
        self.size = size
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
    func makeTexture(onRelease: @escaping @Sendable () -> Void = {}) -> OpaquePointer? {
        guard let memoryFormat else { return nil }
        return withUnsafeBytes { bytes in
            let owner = Unmanaged.passRetained(TextureBytes(self, onRelease))
            let content = g_bytes_new_with_free_func(
                bytes.baseAddress, gsize(bytes.count),
                { owner in if let owner { Unmanaged<TextureBytes>.fromOpaque(owner).release() } }, owner.toOpaque())
            defer { g_bytes_unref(content) }
            // What is larger than GDK counts was not decoded: the limits are far below.
            return gdk_memory_texture_new(
                gint(clamping: size.width), gint(clamping: size.height), memoryFormat, content, gsize(bytesPerRow))
        }
    }
}

/// Keeps the bytes of a texture alive.
private final class TextureBytes: Sendable {
    let bitmap: Bitmap
    let onRelease: @Sendable () -> Void

    init(_ bitmap: Bitmap, _ onRelease: @escaping @Sendable () -> Void) {
        self.bitmap = bitmap
        self.onRelease = onRelease
    }

    deinit { onRelease() }
}
