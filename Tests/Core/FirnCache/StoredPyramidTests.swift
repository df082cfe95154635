import FirnData
import FirnImage
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Tests pyramids in the bitmap store.
@Suite struct StoredPyramidTests {
    private let files = InMemoryFileSystem()
    private let size = PixelSize(width: 600, height: 300)

    private func store(_ limits: BitmapStoreLimits = BitmapStoreLimits(freeSpaceShare: nil)) -> BitmapStore {
        BitmapStore(directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(9) })
    }

    private var source: PyramidSource {
        PyramidSource(
            size: size, orientation: .right, format: .jpeg, version: SourceVersion(size: 5, modified: -7, inode: .max),
            validator: "")
    }

    @discardableResult
    private func write(_ image: Bitmap, to store: BitmapStore, as key: ImageCacheKey = "big") throws -> Int {
        let shape = try #require(PyramidShape(size))
        let writer = try store.makePyramid(of: source, for: key)
        let reducer = PyramidReducer(shape, hasAlpha: false)
        try image.withUnsafeBytes { bytes in
            try reducer.add(
                try #require(bytes.baseAddress), bytesPerRow: image.bytesPerRow, count: size.height
            ) { (band, level, row) throws(DataCachingError) in try writer.write(band, level: level, row: row) }
        }
        return try writer.finish(isOpaque: true)
    }

    private var path: String? { files.files.keys.first { $0.hasSuffix(".firn") } }

    @Test(arguments: [true, false])
    func `A stored pyramid is found unchanged by the next process`(isMapped: Bool) throws {
        let image = try RegionScene.image(size)
        try write(image, to: store())
        let limits = BitmapStoreLimits(freeSpaceShare: nil, isMapped: isMapped)
        let found = try #require(store(limits).pyramid(for: "big"))
        #expect(found.source == source && found.isOpaque && found.shape.levels.count == 3)
        for (columns, rows) in [(0..<600, 0..<300), (255..<258, 250..<260), (599..<600, 299..<300), (10..<20, 0..<1)] {
            let part = try #require(found.part(of: 0, columns: columns, rows: rows))
            let area = PixelArea(
                x: columns.lowerBound, y: rows.lowerBound,
                size: PixelSize(width: columns.count, height: rows.count))
            #expect(RegionScene.rows(part) == RegionScene.rows(image, area))
        }
        #expect(found.part(of: 0, columns: 0..<601, rows: 0..<1) == nil)
        #expect(found.part(of: 3, columns: 0..<1, rows: 0..<1) == nil)
        #expect(store().pyramid(for: "another") == nil)
        #expect(store().image(for: "big") == nil)
    }

    /// Writes a pyramid without its largest level, with an index.
    private func writeParts(_ index: Data, to store: BitmapStore) throws {
        let shape = try #require(PyramidShape(size, from: 1))
        let writer = try store.makePyramid(of: source, from: 1, indexBytes: 5, for: "big")
        for level in shape.stored {
            for row in 0..<shape.rows(level) {
                let count = shape.levels[level].width * shape.bandHeight(level, row) * 4
                let band = [UInt8](repeating: UInt8(level), count: count)
                try band.withUnsafeBytes { bytes in
                    try writer.write(bytes, level: level, row: row)
                }
            }
        }
        _ = try writer.finish(isOpaque: true, index: index)
    }

    @Test(arguments: [true, false])
    func `An index stands for the levels without tiles`(isMapped: Bool) throws {
        let index = Data([1, 2, 3, 4, 5])
        #expect(throws: DataCachingError.self) { try writeParts(Data([1]), to: self.store()) }
        #expect(files.files.isEmpty)
        try writeParts(index, to: self.store())
        let store = self.store(BitmapStoreLimits(freeSpaceShare: nil, isMapped: isMapped))
        let found = try #require(store.pyramid(for: "big"))
        #expect(found.shape.firstLevel == 1 && found.partIndex == index)
        #expect(found.part(of: 0, columns: 0..<1, rows: 0..<1) == nil)
        #expect(found.part(of: 1, columns: 0..<300, rows: 0..<150)?.isOpaque == true)
        #expect(try store.verify().isEmpty)
        // The last byte of the index.
        let path = try #require(path)
        var bytes = try #require(files[path])
        bytes[bytes.count - 1] ^= 1
        files[path] = bytes
        #expect(try store.verify().count == 1)
        #expect(store.pyramid(for: "big")?.partIndex == nil)
        #expect(files[path] == nil)
        try write(try RegionScene.image(size), to: store)
        #expect(try #require(store.pyramid(for: "big")).partIndex == nil)
    }

    @Test func `A pyramid that is not finished leaves nothing`() throws {
        let store = store()
        var writer: PyramidWriter? = try store.makePyramid(of: source, for: "big")
        let band = [UInt8](repeating: 7, count: 600 * 256 * 4)
        try band.withUnsafeBytes { bytes throws(DataCachingError) in
            try writer?.write(UnsafeRawBufferPointer(bytes), level: 0, row: 0)
        }
        #expect(throws: DataCachingError.self) { try writer?.finish(isOpaque: true) }
        writer = nil
        #expect(files.files.isEmpty && store.pyramid(for: "big") == nil)
    }

    @Test func `A damaged tile gives no pixels, and removes the pyramid`() throws {
        try write(try RegionScene.image(size), to: store())
        let path = try #require(path)
        var bytes = try #require(files[path])
        bytes[bytes.count - 1] ^= 1
        files[path] = bytes
        let found = try #require(store().pyramid(for: "big"))
        #expect(found.part(of: 0, columns: 0..<10, rows: 0..<10) != nil)
        #expect(found.part(of: 2, columns: 0..<10, rows: 0..<10) == nil)
        #expect(files[path] == nil)
    }

    @Test func `A damaged or cut header, and a cut file, are misses`() throws {
        try write(try RegionScene.image(size), to: store())
        let path = try #require(path)
        let bytes = try #require(files[path])
        for at in [0, 4, 9, 20, 30, 95, 100, 4000, 4095] {
            var damaged = bytes
            damaged[at] ^= 0x41
            files[path] = damaged
            #expect(store().pyramid(for: "big") == nil, "byte \(at)")
        }
        for count in [0, 3, 11, 4095, 4096, bytes.count - 1] {
            files[path] = bytes.prefix(count)
            #expect(store().pyramid(for: "big") == nil, "\(count) bytes")
        }
    }

    @Test func `Pyramids count toward the limits, and are evicted like images`() throws {
        let length = try write(try RegionScene.image(size), to: store())
        let limits = BitmapStoreLimits(bytes: length + 100_000, entryBytes: 1 << 20, freeSpaceShare: nil)
        let store = store(limits)
        #expect(try store.statistics().bytes == length)
        for number in 0..<4 {
            try store.store(
                try BitmapStoreTests.image(number, width: 100, height: 100), for: ImageCacheKey("image \(number)"))
        }
        #expect(store.pyramid(for: "big") == nil)
        #expect(try store.statistics().bytes < limits.bytes)
    }

    @Test(arguments: ["bytes", "pyramidBytes"])
    func `A pyramid larger than a limit is refused before it is built, and the error names the limit`(
        limit: String
    ) throws {
        let length = try write(try RegionScene.image(size), to: store())
        let (bytes, pyramidBytes) = limit == "bytes" ? (length - 1, 1 << 30) : (1 << 30, length - 1)
        let limits = BitmapStoreLimits(bytes: bytes, freeSpaceShare: nil, pyramidBytes: pyramidBytes)
        let small = BitmapStore(directory: "/c", limits: limits, fileSystem: files)
        #expect(small.largestPyramid == length - 1)
        #expect {
            try small.makePyramid(of: source, for: "big")
        } throws: {
            "\($0)".contains("takes \(length) bytes; BitmapStoreLimits.\(limit) allows \(length - 1)")
        }
    }

    @Test func `Verification reads the tiles`() throws {
        let store = store()
        try write(try RegionScene.image(size), to: store)
        #expect(try store.verify().isEmpty)
        let shape = try #require(PyramidShape(size))
        #expect(try store.records().map(\.key) == ["big"] && store.records().first?.bodyBytes == shape.byteCount)
        let path = try #require(path)
        var bytes = try #require(files[path])
        bytes[bytes.count / 2] ^= 1
        files[path] = bytes
        #expect(try store.verify(removing: true).count == 1)
        #expect(files[path] == nil)
    }

    @Test func `A full disk leaves no pyramid`() throws {
        files.capacity = 100_000
        #expect(throws: DataCachingError.self) { try write(try RegionScene.image(size), to: store()) }
        #expect(files.files.isEmpty)
    }
}
