import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

@Suite struct BitmapStoreTests {
    private let files = InMemoryFileSystem()

    private func store(_ limits: BitmapStoreLimits = BitmapStoreLimits(), at seconds: Int = 9) -> BitmapStore {
        BitmapStore(directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(seconds) })
    }

    /// Returns an image whose bytes follow from a number.
    static func image(
        _ number: Int, width: Int = 5, height: Int = 3, format: PixelFormat = .bgra8Premultiplied, opaque: Bool = false
    ) throws -> ImageContainer {
        let image = try Bitmap(size: PixelSize(width: width, height: height), format: format, isOpaque: opaque) {
            pixels in
            for y in 0..<height {
                for at in 0..<width * format.bytesPerPixel {
                    pixels.row(y).storeBytes(
                        of: UInt8(truncatingIfNeeded: number &* 31 &+ y &* 7 &+ at), toByteOffset: at, as: UInt8.self)
                }
            }
        }
        return ImageContainer(
            image: image, format: .jpeg, originalSize: PixelSize(width: width * 2, height: height * 2))
    }

    static func rows(_ image: Bitmap) -> [[UInt8]] {
        image.withUnsafeBytes { bytes in
            (0..<image.size.height).map { y in
                Array(bytes[(y * image.bytesPerRow)...].prefix(image.size.width * image.format.bytesPerPixel))
            }
        }
    }

    @Test(arguments: PixelFormat.allCases, [false, true])
    func `A stored image is found unchanged`(format: PixelFormat, opaque: Bool) throws {
        var image = try BitmapStoreTests.image(1, width: 7, height: 5, format: format, opaque: opaque)
        image.sourceVersion = SourceVersion(size: 12, modified: -5, changed: opaque ? 7 : 0, inode: .max)
        try store().store(image, for: "a key")
        // Models another process.
        let found = try #require(store().image(for: "a key"))
        #expect(BitmapStoreTests.rows(found.image) == BitmapStoreTests.rows(image.image))
        #expect(found.image.size == image.image.size && found.image.format == format)
        #expect(found.image.bytesPerRow == image.image.bytesPerRow)
        #expect(found.image.isOpaque == image.image.isOpaque)
        #expect(found.format == .jpeg && found.originalSize == PixelSize(width: 14, height: 10))
        #expect(found.sourceVersion == image.sourceVersion)
        #expect(store().image(for: "another key") == nil)
    }

    @Test func `A color profile is stored with its image`() throws {
        var icc = Data(count: 200)
        icc.replaceSubrange(16..<20, with: Data("RGB ".utf8))
        icc.replaceSubrange(36..<40, with: Data("acsp".utf8))
        let profile = try #require(ColorProfile(icc: icc))
        let image = try Bitmap(size: PixelSize(width: 2, height: 2), colorProfile: profile) { _ in }
        try store().store(ImageContainer(image: image), for: "wide")
        let found = try #require(store().image(for: "wide"))
        #expect(found.image.colorProfile == profile && found.format == nil && found.originalSize == nil)
    }

    @Test func `A file of the first version is read, and the written format has not changed`() throws {
        try store(at: 1).store(try BitmapStoreTests.image(0, width: 1, height: 1), for: "abc")
        let (path, bytes) = try #require(files.files.first)
        #expect(path == "/cache/bitmaps-v1/4/44bc2cf5ad770999bea9ca8199328908.firn")
        #expect(bytes.count == 4096 + 64)
        let head = bytes.prefix(112).map { String($0, radix: 16) }.joined(separator: " ")
        #expect(
            head
                == """
                46 49 52 42 1 0 2 0 0 10 0 0 3 0 0 0 1 0 0 0 1 0 0 0 40 0 0 0 1 0 0 0 2 0 0 0 2 0 0 0 0 ca 9a 3b \
                0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40 0 0 0 0 0 0 0 \
                \(BitmapStoreTests.bodyHash(bytes)) 0 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 61 62 63 6a 70 65 67 0
                """)
        #expect(bytes.dropFirst(4096).prefix(4) == Data([0, 1, 2, 3]))
    }

    private static func bodyHash(_ file: Data) -> String {
        let hash = Data(file.dropFirst(4096)).withUnsafeBytes { XXH64.hash($0) }
        return (0..<8).map { String(hash >> (8 * UInt64($0)) & 255, radix: 16) }.joined(separator: " ")
    }

    @Test func `An image stays intact after its file is replaced or removed`() throws {
        let store = store()
        try store.store(try BitmapStoreTests.image(1), for: "key")
        let first = try #require(store.image(for: "key"))
        try store.store(try BitmapStoreTests.image(2), for: "key")
        let second = try #require(store.image(for: "key"))
        try store.remove("key")
        #expect(store.image(for: "key") == nil)
        #expect(BitmapStoreTests.rows(first.image) == BitmapStoreTests.rows(try BitmapStoreTests.image(1).image))
        #expect(BitmapStoreTests.rows(second.image) == BitmapStoreTests.rows(try BitmapStoreTests.image(2).image))
    }

    @Test func `The padding of rows does not reach the disk`() throws {
        let builder = try BitmapBuilder(
            size: PixelSize(width: 1, height: 4), format: .bgra8Premultiplied, zeroed: false)
        builder.withPixels { pixels in
            for y in 0..<4 {
                for at in 0..<pixels.bytesPerRow {
                    pixels.row(y).storeBytes(of: 0xEE, toByteOffset: at, as: UInt8.self)
                }
            }
        }
        let image = try #require(builder.finish(isOpaque: false))
        try store().store(ImageContainer(image: image), for: "gaps")
        let body = try #require(files.files.values.first).dropFirst(4096)
        #expect(body.filter { $0 == 0xEE }.count == 16)
    }

    @Test(arguments: 0..<60)
    func `A file with a truncated or changed header is a miss and is removed`(part: Int) throws {
        let store = store()
        try store.store(try BitmapStoreTests.image(3, width: 30, height: 30), for: "key")
        let (path, bytes) = try #require(files.files.first)
        var damaged = bytes
        if part < 20 {
            damaged = bytes.prefix(bytes.count * part / 20)
        } else if part < 40 {
            damaged[(part - 20) * 4096 / 20] ^= 1
        } else {
            damaged.append(contentsOf: [UInt8](repeating: 0, count: part - 39))
        }
        files[path] = damaged
        #expect(store.image(for: "key") == nil)
        #expect(files.files.isEmpty)
        #expect(try store.statistics().damaged == 1)
        try store.store(try BitmapStoreTests.image(3), for: "key")
        #expect(store.image(for: "key") != nil)
    }

    @Test func `Changed pixels are found by verification and removed`() throws {
        let store = store()
        for number in 0..<5 { try store.store(try BitmapStoreTests.image(number), for: ImageCacheKey("\(number)")) }
        let path = try #require(files.files.keys.sorted().first)
        var bytes = try #require(files[path])
        bytes[4096 + 65] ^= 0x10
        files[path] = bytes
        #expect(try store.verify().map(\.path) == [path])
        #expect(try store.verify(removing: true).map(\.isRemoved) == [true])
        #expect(try store.verify().isEmpty)
        #expect(try store.records().count == 4)
    }

    @Test func `The least recently used images are evicted first, and the limit holds after each store`() throws {
        let limits = BitmapStoreLimits(bytes: 5 * (4096 + 192), entryBytes: 4096, useInterval: .zero)
        let store = store(limits)
        for number in 0..<20 {
            try store.store(try BitmapStoreTests.image(number), for: ImageCacheKey("\(number)"))
            #expect(store.image(for: "0") != nil)
            #expect(files.files.values.reduce(0) { $0 + $1.count } <= limits.bytes)
        }
        let statistics = try store.statistics()
        #expect(statistics.count == 5 && statistics.evictions == 15)
        #expect(store.reclaim(2 * (4096 + 192)) == 2 * (4096 + 192))
        #expect(files.files.count == 3)
        try store.removeAll()
        #expect(files.files.isEmpty)
    }

    @Test func `Previews, animations and images that are too large are not stored`() throws {
        let store = store(BitmapStoreLimits(bytes: 1 << 20, entryBytes: 1000))
        var preview = try BitmapStoreTests.image(1)
        preview.isPreview = true
        var animation = try BitmapStoreTests.image(1)
        animation.data = Data([1])
        try store.store(preview, for: "preview")
        try store.store(animation, for: "animation")
        try store.store(try BitmapStoreTests.image(1, width: 100, height: 100), for: "large")
        #expect(files.files.isEmpty)
    }

    @Test func `Without a mapping the images are the same`() throws {
        try store().store(try BitmapStoreTests.image(4), for: "key")
        let found = try #require(store(BitmapStoreLimits(isMapped: false)).image(for: "key"))
        #expect(BitmapStoreTests.rows(found.image) == BitmapStoreTests.rows(try BitmapStoreTests.image(4).image))
    }

    @Test func `An expired image is gone`() throws {
        let limits = BitmapStoreLimits(age: .seconds(5))
        try store(limits, at: 10).store(try BitmapStoreTests.image(4), for: "key")
        #expect(store(limits, at: 15).image(for: "key") != nil)
        #expect(store(limits, at: 16).image(for: "key") == nil)
        #expect(files.files.isEmpty)
    }
}
