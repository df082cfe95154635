#if GTK
import CGTK4
import FirnGTK
import FirnImage
import FirnSync

/// Checks textures over the images' own bytes.
@MainActor
enum TextureScene {
    static func play(_ checks: Checks) async {
        for format in [PixelFormat.rgb8, .bgra8Premultiplied, .rgba8Straight] { keepsPixels(format, checks) }
        isConverted(.rgba16Straight, checks)
        isConverted(.rgbaHalfPremultiplied, checks)
        givesBack(checks)
        isShared(checks)
    }

    private static let size = PixelSize(width: 37, height: 5)

    private static func image(_ format: PixelFormat) throws -> Bitmap {
        let straight = try Bitmap(size: size, format: .rgba8Straight, isOpaque: true) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let color = SIMD4<UInt8>(UInt8(x * 5), UInt8(y * 50), UInt8(x + y), 255)
                    pixels.row(y).storeBytes(of: color, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return try straight.converted(to: format)
    }

    private static func pixels(_ texture: ImageTexture, _ checks: Checks) {
        var bytes = [UInt8](repeating: 0, count: size.area * 4)
        gdk_texture_download(texture.pointer, &bytes, gsize(size.width * 4))
        var wrong = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = (y * size.width + x) * 4
                let isRight =
                    bytes[at + 2] == UInt8(x * 5) && bytes[at + 1] == UInt8(y * 50)
                    && bytes[at] == UInt8(x + y) && bytes[at + 3] == 255
                if !isRight { wrong += 1 }
            }
        }
        checks.expect(wrong == 0, "\(wrong) wrong pixels")
    }

    private static func keepsPixels(_ format: PixelFormat, _ checks: Checks) {
        do { pixels(try ImageTexture.of(image(format)), checks) } catch { checks.expect(false, "\(error)") }
    }

    private static func isConverted(_ format: PixelFormat, _ checks: Checks) {
        do { pixels(try ImageTexture.of(image(format)), checks) } catch { checks.expect(false, "\(error)") }
    }

    /// Checks that the texture holds the image's own buffer, and releases it.
    private static func givesBack(_ checks: Checks) {
        let released = Locked(0)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 4, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        defer { memory.deallocate() }
        var texture: ImageTexture?
        do {
            let bitmap = try Bitmap(
                borrowing: UnsafeRawBufferPointer(memory), size: PixelSize(width: 16, height: 4),
                format: .bgra8Premultiplied, bytesPerRow: 64, isOpaque: true
            ) { released.withLock { $0 += 1 } }
            texture = try ImageTexture.of(bitmap)
        } catch {
            checks.expect(false, "\(error)")
        }
        checks.expect(released.withLock { $0 } == 0, "the texture keeps the image's bytes")
        memory[0] = 99
        var bytes = [UInt8](repeating: 0, count: 64 * 4)
        if let texture { gdk_texture_download(texture.pointer, &bytes, 64) }
        checks.expect(bytes[0] == 99, "the texture reads the image's own bytes, not a copy")
        texture = nil
        checks.expect(released.withLock { $0 } == 1, "the bytes are given back once the texture is gone")
    }

    /// Checks that equal images in several places share one texture.
    private static func isShared(_ checks: Checks) {
        do {
            let bitmap = try image(.rgb8)
            let first = try ImageTexture.of(bitmap)
            let second = try ImageTexture.of(bitmap)
            checks.expect(first.pointer == second.pointer, "one image is one texture")
            let other = try ImageTexture.of(try image(.rgb8))
            checks.expect(first.pointer != other.pointer, "another image is another texture")
        } catch {
            checks.expect(false, "\(error)")
        }
    }
}
#endif
