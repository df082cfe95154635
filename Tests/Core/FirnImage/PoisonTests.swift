import FirnSystem
import Testing

@testable import FirnImage

#if DEBUG
/// F26: tests that pixels of one image never show in another.
@Suite struct PoisonTests {
    private static let secret: UInt8 = 0x5A

    /// Returns the bytes of a new buffer that is not zeroed.
    private func bytes(_ size: PixelSize) throws -> [UInt8] {
        let builder = try BitmapBuilder(size: size, format: .bgra8Premultiplied, zeroed: false)
        return builder.withPixels { pixels in
            Array(UnsafeRawBufferPointer(start: pixels.base, count: pixels.bytesPerRow * size.height))
        } ?? []
    }

    private func fill(_ size: PixelSize) throws {
        _ = try Bitmap(size: size) { pixels in
            for y in 0..<size.height {
                for x in 0..<pixels.bytesPerRow {
                    pixels.row(y).storeBytes(of: PoisonTests.secret, toByteOffset: x, as: UInt8.self)
                }
            }
        }
    }

    @Test(arguments: [PixelSize(width: 20, height: 20), PixelSize(width: 256, height: 256)])
    func `a new buffer holds poison where another image was, in the heap and in a mapping (F26)`(
        size: PixelSize
    ) throws {
        for _ in 0..<10 {
            try fill(size)
            #expect(try bytes(size).allSatisfy { $0 == PixelMemory.poison })
        }
    }

    @Test func `a buffer is poisoned when it is given back (F26)`() throws {
        // The mapping is kept for the next buffer, unless another test takes it first, which has other sizes.
        for round in 1...1_000 {
            let count = PixelMemory.minimumMapped + 4_096 * (16 + round % 16)
            let memory = try #require(PixelMemory(count: count, zeroed: true))
            memset(memory.base, Int32(PoisonTests.secret), count)
            memory.release()
            guard let (base, length) = PixelMappings.take(count) else { continue }
            defer { PixelMappings.recycle(base, length) }
            #expect(UnsafeRawBufferPointer(start: base, count: count).allSatisfy { $0 == PixelMemory.poison })
            return
        }
        Issue.record("no freed buffer was found again")
    }
}
#endif
