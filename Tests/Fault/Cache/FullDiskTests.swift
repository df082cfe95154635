import FirnCache
import FirnData
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

/// A file system of 2 MiB in memory, which only the superuser can mount.
private enum SmallDisk {
    static let isPossible: Bool = {
        guard getuid() == 0, let folder = try? temporaryFolder("mount") else { return false }
        defer { remove(folder) }
        return mount(at: folder)
    }()

    static func mount(at folder: String) -> Bool {
        FirnSystem.mount("firn-full", folder, "tmpfs", 0, "size=2m,mode=0700") == 0
    }

    static func remove(_ folder: String) {
        umount2(folder, Int32(MNT_DETACH))
        rmdir(folder)
    }
}

/// Tests the stores on a disk that is full.
@Suite(.serialized, .enabled(if: SmallDisk.isPossible)) final class FullDiskTests {
    private let folder: String

    init() throws {
        folder = try temporaryFolder("full")
        try #require(SmallDisk.mount(at: folder))
    }

    deinit { SmallDisk.remove(folder) }

    /// An image of 300 KiB, which is mapped from its file.
    private func image(_ value: UInt8) throws -> ImageContainer {
        ImageContainer(
            image: try Bitmap(size: PixelSize(width: 256, height: 300)) { pixels in
                for y in 0..<300 {
                    pixels.row(y).initializeMemory(as: UInt8.self, repeating: value, count: 1024)
                }
            })
    }

    @Test func `Bitmaps that are shown stay whole, and one that does not fit is an error`() throws {
        let store = BitmapStore(directory: URL(filePath: folder + "/bitmaps"), freeSpaceShare: nil)
        // The space of an evicted file is free only when its image is not shown any more.
        var shown: [(value: UInt8, image: ImageContainer)] = []
        var refused = 0
        for value in UInt8(1)...12 {
            let key = ImageCacheKey("\(value)")
            let made = try image(value)
            do {
                try store.store(made, for: key)
            } catch {
                #expect(error.code == ENOSPC)
                refused += 1
            }
            if let found = store.image(for: key) { shown.append((value, found)) }
        }
        #expect(shown.count >= 4 && refused >= 4)
        for (value, container) in shown {
            #expect(container.image.withUnsafeBytes { $0.allSatisfy { $0 == value } })
        }
        shown = []
        try store.store(try image(99), for: "later")
        #expect(store.image(for: "later") != nil)
    }

    @Test func `A pyramid that does not fit is an error and leaves nothing`() throws {
        let store = BitmapStore(directory: URL(filePath: folder + "/bitmaps"), freeSpaceShare: nil)
        let size = PixelSize(width: 1024, height: 1024)
        let source = PyramidSource(
            size: size, orientation: .up, format: .tiff, version: SourceVersion(size: 1, modified: 1, inode: 1),
            validator: "")
        let shape = try #require(PyramidShape(size))
        let band = [UInt8](repeating: 7, count: 1024 * shape.bandHeight(0, 0) * 4)
        let error = #expect(throws: DataCachingError.self) {
            let writer = try store.makePyramid(of: source, for: "big")
            try band.withUnsafeBytes { bytes in
                for row in 0..<shape.rows(0) { try writer.write(bytes, level: 0, row: row) }
            }
        }
        #expect(error?.code == ENOSPC)
        #expect(store.pyramid(for: "big") == nil)
        try store.store(try image(1), for: "small")
        #expect(store.image(for: "small") != nil)
    }

    @Test func `Entries of the data cache are whole or missing`() throws {
        let cache = DataCache(
            directory: folder + "/data", limits: DataCacheLimits(freeSpaceShare: nil))
        for number in UInt8(1)...12 {
            let body = Data(repeating: number, count: 300_000)
            do {
                try cache.store(DataCacheEntry(data: body), for: "\(number)")
            } catch {
                #expect(error.code == ENOSPC)
            }
        }
        var found = 0
        for number in UInt8(1)...12 {
            guard let entry = try cache.entry(for: "\(number)") else { continue }
            #expect(entry.data == Data(repeating: number, count: 300_000))
            found += 1
        }
        #expect(found > 0 && found < 12)
        #expect(try cache.verify().isEmpty)
    }
}
