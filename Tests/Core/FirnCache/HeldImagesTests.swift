import FirnCache
import FirnImage
import FirnSync
import FirnTesting
import Testing

/// Tests images that are referenced outside the cache.
@Suite struct HeldImagesTests {
    private static func image(_ rows: Int = 1) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    @Test func `A shown image stays, however long ago it was requested (F6)`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 20))
        var screen: [ImageContainer] = []
        for number in 0..<10 {
            screen.append(try HeldImagesTests.image())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        for number in 0..<200 { cache[ImageCacheKey("other \(number)")] = try HeldImagesTests.image() }
        for number in 0..<10 { #expect(cache[ImageCacheKey("shown \(number)")] != nil) }
        #expect(cache.statistics.bytes == 64 * 20)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 10)
        // Once they are no longer shown, they are evicted like others.
        screen = []
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 0)
    }

    @Test func `Shown images may exceed the limit only while they are shown`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 50))
        var screen: [ImageContainer] = []
        for number in 0..<200 {
            screen.append(try HeldImagesTests.image())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        #expect(cache.statistics.count == 200)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 200)
        screen = []
        cache["next"] = try HeldImagesTests.image()
        #expect(cache.statistics.bytes <= 64 * 50)
        #expect(cache["next"] != nil)
    }

    @Test func `An image that is kept under two keys is not held by the cache itself`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 4))
        for number in 0..<40 {
            let image = try HeldImagesTests.image()
            cache[ImageCacheKey("one \(number)")] = image
            cache[ImageCacheKey("two \(number)")] = image
        }
        cache["last"] = try HeldImagesTests.image()
        #expect(cache.statistics.bytes <= 64 * 4)
    }

    /// Returns an image that counts how often its memory was released.
    private static func image(counting releases: Locked<Int>) throws -> ImageContainer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 7)
        let address = UInt(bitPattern: bytes.baseAddress)
        let image = try Bitmap(
            borrowing: UnsafeRawBufferPointer(bytes), size: PixelSize(width: 1, height: 1),
            format: .bgra8Premultiplied, bytesPerRow: 64, isOpaque: true
        ) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
            releases.withLock { $0 += 1 }
        }
        return ImageContainer(image: image)
    }

    /// Looks a key up on several threads, so that several cores have references to its image.
    private static func look(_ key: ImageCacheKey, in cache: ImageCache) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { #expect(cache[key]?.image.cost == 64) } }
            }
        }
    }

    @Test(arguments: ["remove", "replace", "trim", "clear", "deallocate"])
    func `Removing an image frees it, even after hits on many cores`(way: String) async throws {
        let releases = Locked(0)
        var cache: ImageCache? = ImageCache()
        cache?["image"] = try HeldImagesTests.image(counting: releases)
        if let cache { await HeldImagesTests.look("image", in: cache) }
        #expect(releases.withLock { $0 } == 0)
        switch way {
        case "remove": cache?["image"] = nil
        case "replace": cache?["image"] = try HeldImagesTests.image()
        case "trim": cache?.trim(toCost: 0)
        case "clear": cache?.removeAll()
        default: cache = nil
        }
        #expect(releases.withLock { $0 } == 1)
    }

    @Test func `A reference that a look-up returned holds the image, and is the same image`() async throws {
        let releases = Locked(0)
        let cache = ImageCache()
        cache["image"] = try HeldImagesTests.image(counting: releases)
        await HeldImagesTests.look("image", in: cache)
        var (first, second) = (cache["image"], cache["image"])
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 1)
        // A toolkit finds the object that it made of another copy of the image.
        let bytes = try #require(first?.image.retainedBytes())
        Bitmap.setCompanion(bytes.owner, of: bytes.owner)
        #expect(second?.image.companion == bytes.owner)
        Bitmap.setCompanion(nil, of: bytes.owner)
        // Under another key, it is no further image: the cache alone holds it.
        cache["other"] = second
        (first, second) = (nil, nil)
        Bitmap.releaseBytes(bytes.owner)
        #expect(cache["other"]?.image.cost == 64)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 0 && releases.withLock { $0 } == 1)
    }

    @Test func `Two cores that look up an image count references of different objects`() throws {
        let image = try HeldImagesTests.image().image
        var (one, two) = (image.counted(), image.counted())
        var areAlone = (one.isOnlyCopy(), two.isOnlyCopy())
        #expect(areAlone == (true, true))
        let copy = one
        areAlone = (one.isOnlyCopy(), two.isOnlyCopy())
        #expect(areAlone == (false, true))
        var whole = copy.uncounted()
        let isHeld = whole.isHeldElsewhere()
        #expect(isHeld)
    }

    /// Held images stay and are found; the images that only the cache holds stay within the limits; a found image is
    /// the stored one.
    @Test func `Thousands of random operations never lose a held image nor keep too many others`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 100, count: 20, entryBytes: 64 * 40))
        var rows: [Int: Int] = [:]
        var held: [Int: ImageContainer] = [:]
        for step in 0..<6_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let key = ImageCacheKey("key \(number)")
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let image = try HeldImagesTests.image(Int.random(in: 1...12, using: &random))
                held[number] = Bool.random(using: &random) && held.count < 12 ? image : nil
                rows[number] = image.image.size.height
                cache[key] = image
                // Order: read before any outside reference is dropped.
                let statistics = cache.statistics
                let alone = statistics.bytes - 64 * held.keys.reduce(0) { $0 + (rows[$1] ?? 0) }
                try #require(statistics.count <= max(20, held.count + 1), "seed \(seed), step \(step)")
                try #require(statistics.bytes <= 64 * 100 || alone <= 64 * 12, "seed \(seed), step \(step)")
            case 5..<8:
                let found = cache[key]
                if held[number] != nil { try #require(found != nil, "seed \(seed), step \(step)") }
                if let found {
                    try #require(found.image.size.height == rows[number], "seed \(seed), step \(step)")
                }
            case 8: held[number] = nil
            default:
                cache[key] = nil
                held[number] = nil
            }
        }
        held = [:]
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 0 && cache.statistics.bytes == 0)
    }
}
