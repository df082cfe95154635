import FirnCache
import FirnImage
import Foundation
import Testing

@testable import Firn

/// Tests that bitmaps are evicted only where that frees space.
@Suite struct BitmapsOnOtherDisksTests {
    @Test func `Bitmaps are evicted for originals on the same disk only`() throws {
        let folder = "/tmp/firn-bitmaps-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = BitmapStore(directory: folder)
        for number in 0..<3 {
            let image = try Bitmap(size: PixelSize(width: 8, height: 8)) { _ in }
            try store.store(ImageContainer(image: image), for: ImageCacheKey("image \(number)"))
        }
        // A different file system on every Linux machine.
        #expect(store.givingWay(to: "/proc")(1) == 0)
        #expect(store.givingWay(to: "/tmp/nowhere-\(folder.hashValue)")(1) == 0)
        #expect(try store.records().count == 3)
        #expect(store.givingWay(to: "/tmp")(1) > 0)
        #expect(try store.records().count == 2)
    }
}
