#if GTK
import CGTK4
import FirnGTK
import FirnSync

/// The cost on the drawing thread of a texture of a 1920 × 1080 image, compared with GDK's own part.
struct TextureCost {
    /// Nanoseconds for each.
    var firn: Int64 = 0
    var bare: Int64 = 0

    private static let size = PixelSize(width: 1920, height: 1080)
    private static let count = 200
    private static let rounds = 21

    /// Returns medians of several alternating rounds; `nil` if there is no memory for an image.
    @MainActor
    static func measure() -> TextureCost? {
        guard let image = try? Bitmap(size: size, format: .rgb8, { _ in }) else { return nil }
        var (ours, bare): ([Int64], [Int64]) = ([], [])
        for _ in 0..<rounds {
            guard let images = try? images(of: image) else { return nil }
            var textures: [ImageTexture] = []
            textures.reserveCapacity(count)
            var start = MonotonicClock.now()
            for image in images { if let texture = try? ImageTexture.of(image) { textures.append(texture) } }
            ours.append((MonotonicClock.now() - start) / Int64(count))
            guard textures.count == count else { return nil }
            textures = []
            var made: [OpaquePointer] = []
            made.reserveCapacity(count)
            image.withUnsafeBytes { bytes in
                start = MonotonicClock.now()
                for _ in 0..<count {
                    // Like a program that owns the pixels: with a function that is called when they are free.
                    let content = g_bytes_new_with_free_func(bytes.baseAddress, gsize(bytes.count), { _ in }, nil)
                    if let texture = gdk_memory_texture_new(
                        gint(size.width), gint(size.height), GDK_MEMORY_R8G8B8, content, gsize(image.bytesPerRow))
                    {
                        made.append(texture)
                    }
                    g_bytes_unref(content)
                }
                bare.append((MonotonicClock.now() - start) / Int64(count))
                for texture in made { g_object_unref(UnsafeMutableRawPointer(texture)) }
            }
        }
        return TextureCost(firn: ours.sorted()[rounds / 2], bare: bare.sorted()[rounds / 2])
    }

    /// Returns separate images over the same pixels, so that none has a texture yet.
    private static func images(of image: Bitmap) throws -> [Bitmap] {
        try (0..<count).map { _ in
            try image.withUnsafeBytes { bytes in
                try Bitmap(
                    borrowing: bytes, size: size, format: .rgb8, bytesPerRow: image.bytesPerRow, isOpaque: true,
                    release: { withExtendedLifetime(image) {} })
            }
        }
    }
}
#endif
