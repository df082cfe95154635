import FirnImage
import Foundation
import Testing

@testable import FirnCache

/// Tests that bitmaps are evicted only where that frees space.
@Suite struct BitmapsOnOtherDisksTests {
    @Test func `Bitmaps are evicted for originals on the same disk only`() throws {
        let folder = "/tmp/firn-bitmaps-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = BitmapStore.disk(path: folder)
        for number in 0..<3 {
            let image = try Bitmap(size: PixelSize(width: 8, height: 8)) { _ in }
            try store.store(ImageContainer(image: image), for: ImageCacheKey("image \(number)"))
        }
        func reclaim(for directory: String) -> Int? {
            let cache = DataCache(directory: directory)
            cache.takesRoom(from: store)
            return cache.reclaim?(1)
        }
        // A different file system on every Linux machine.
        #expect(reclaim(for: "/proc") == 0)
        #expect(reclaim(for: "/tmp/nowhere-\(folder.hashValue)") == 0)
        #expect(try store.records().count == 3)
        #expect((reclaim(for: "/tmp") ?? 0) > 0)
        #expect(try store.records().count == 2)
    }

    @Test func `A store that is gone frees nothing, and is not retained`() {
        let cache = DataCache(directory: "/tmp")
        var store: BitmapStore? = BitmapStore.disk(path: "/tmp")
        weak let released = store
        if let store { cache.takesRoom(from: store) }
        #expect(cache.reclaim != nil)
        store = nil
        #expect(released == nil)
        #expect(cache.reclaim == nil)
    }
}
