#if GTK
import CGTK4
import Synchronization

/// An image as a `GdkTexture` over the same bytes.
///
/// The texture retains the image's buffer until GTK no longer uses it. No pixel is copied for the layouts that GDK
/// accepts: `bgra8Premultiplied`, `rgba8Straight`, `rgb8`. Other layouts, such as half floats in linear light, are
/// converted.
///
/// An image in several cells has one texture, which GTK's GL renderer uploads once: the bitmap has a reference to its
/// texture.
@MainActor
public final class ImageTexture {
    /// The `GdkTexture`. Valid as long as this object lives or the program holds a reference.
    public let pointer: OpaquePointer
    /// The size in pixels.
    public let size: PixelSize
    /// True if all pixels are opaque.
    let isOpaque: Bool
    // Safety: not retained here; the texture retains it, and this object retains the texture.
    private let owner: UnsafeMutableRawPointer
    /// True for the texture of the whole image, which is the bitmap's companion.
    private let isWhole: Bool

    /// Returns the texture of an image; the same one while a reference to it exists.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if the image cannot be converted, or if GDK creates no texture.
    public static func of(_ bitmap: Bitmap) throws -> ImageTexture {
        if let known = bitmap.companion { return Unmanaged.fromOpaque(known).takeUnretainedValue() }
        return try ImageTexture(usable(bitmap), part: nil)
    }

    /// Returns textures of the parts of an image, over the same bytes: squares of `side` pixels, row by row.
    ///
    /// GTK's software renderer converts all pixels of a texture in each frame; its GL renderer limits their size.
    static func parts(of bitmap: Bitmap, side: Int) throws -> [(area: PixelArea, texture: ImageTexture)] {
        let whole = PixelArea(bitmap.size)
        guard whole.size.width > side || whole.size.height > side else { return [(whole, try of(bitmap))] }
        let image = try usable(bitmap)
        return try stride(from: 0, to: whole.size.height, by: side).flatMap { y in
            try stride(from: 0, to: whole.size.width, by: side).map { x in
                let part = PixelArea(
                    x: x, y: y,
                    size: PixelSize(width: min(side, whole.size.width - x), height: min(side, whole.size.height - y)))
                return (part, try ImageTexture(image, part: part))
            }
        }
    }

    /// Returns the image in a layout that GDK accepts.
    private static func usable(_ bitmap: Bitmap) throws -> Bitmap {
        bitmap.format.memoryFormat == nil ? try bitmap.converted(to: .bgra8Premultiplied) : bitmap
    }

    /// The number of living textures; tests use it to find leaks.
    package static var liveCount: Int {
        passedBuffers.load(ordering: .relaxed) - releasedBuffers.load(ordering: .relaxed)
    }

    /// - Parameter part: the part of the image to show; `nil` for all of it.
    private init(_ image: Bitmap, part: PixelArea?) throws {
        passedBuffers.store(passedBuffers.load(ordering: .relaxed) + 1, ordering: .relaxed)
        let bytes = image.retainedBytes()
        let area = part ?? PixelArea(bytes.size)
        let start = area.y * bytes.bytesPerRow + area.x * bytes.format.bytesPerPixel
        let content = g_bytes_new_with_free_func(
            bytes.base + start, gsize(bytes.count - start),
            { owner in
                guard let owner else { return }
                releasedBuffers.wrappingAdd(1, ordering: .relaxed)
                Bitmap.releaseBytes(owner)
            }, bytes.owner)
        defer { g_bytes_unref(content) }
        // The clamping never takes effect: the decoding limits are far below GDK's largest size.
        guard
            let pointer = gdk_memory_texture_new(
                gint(clamping: area.size.width), gint(clamping: area.size.height),
                bytes.format.memoryFormat ?? GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, content,
                gsize(bytes.bytesPerRow))
        else { throw ImageError.unusable(area.size) }
        self.pointer = pointer
        owner = bytes.owner
        size = area.size
        isOpaque = bytes.isOpaque
        isWhole = part == nil
        if isWhole { Bitmap.setCompanion(Unmanaged.passUnretained(self).toOpaque(), of: owner) }
    }

    isolated deinit {
        // Order: the companion is removed first, since the bytes may be freed with the texture.
        if isWhole { Bitmap.setCompanion(nil, of: owner) }
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
        // GDK's 16-bit layouts are only premultiplied, ours is straight; GDK's half floats are encoded, ours are linear
        // light.
        case .rgba16Straight, .rgbaHalfPremultiplied: nil
        }
    }
}

/// The number of buffers that were passed to textures; written by the drawing thread alone, so that a load and a store
/// do, which need neither a lock of the bus nor a check for exclusive access.
private let passedBuffers = Atomic<Int>(0)
/// The number of buffers that textures have released, on any thread.
private let releasedBuffers = Atomic<Int>(0)
#endif
