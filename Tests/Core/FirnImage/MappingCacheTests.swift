import FirnSystem
import Testing

@testable import FirnImage

/// Tests which mappings are kept for the next images.
@Suite struct MappingCacheTests {
    private let base = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

    private func mapping(_ length: Int, _ since: Int64 = 0) -> MappingCache.Mapping {
        MappingCache.Mapping(base: base, length: length, since: since)
    }

    @Test func `The latest mapping that fits is reused, a much longer one is not`() {
        defer { base.deallocate() }
        var kept = MappingCache()
        for (index, length) in [1000, 1100, 1300].enumerated() {
            #expect(kept.add(mapping(length, Int64(index)), most: 10_000).isEmpty)
        }
        #expect(kept.take(1000)?.length == 1100)
        #expect(kept.take(1000)?.length == 1000)
        #expect(kept.take(1000) == nil)
        #expect(kept.take(1301) == nil)
        #expect(kept.take(1040)?.length == 1300)
        #expect(kept.count == 0)
    }

    @Test func `The oldest mappings are released beyond the limit and after their time`() {
        defer { base.deallocate() }
        var kept = MappingCache()
        #expect(kept.add(mapping(101), most: 100).map(\.length) == [101])
        for since in 1...4 { _ = kept.add(mapping(25, Int64(since)), most: 100) }
        #expect(kept.add(mapping(30, 5), most: 100).map(\.since) == [1, 2])
        #expect(kept.remove(until: 3).map(\.since) == [3])
        #expect(kept.remove(until: 3).isEmpty)
        #expect(kept.remove(until: .max).map(\.length) == [25, 30])
        #expect(kept.take(25) == nil)
    }

    @Test func `A new image in reused memory is empty`() throws {
        defer { base.deallocate() }
        let size = PixelSize(width: 331, height: 257)
        for _ in 0..<20 {
            let builder = try BitmapBuilder(size: size, format: .bgra8Premultiplied)
            let isEmpty = builder.withPixels { pixels in
                (0..<size.height * pixels.bytesPerRow).allSatisfy {
                    pixels.base.load(fromByteOffset: $0, as: UInt8.self) == 0
                }
            }
            #expect(isEmpty == true)
            builder.withPixels { memset($0.base, 0xAB, size.height * $0.bytesPerRow) }
        }
        PixelMappings.trim()
    }
}
