import FirnCache
import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests the bitmap store on a failing file system, and with other processes.
@Suite struct BitmapStoreFaultTests {
    private static let limits = BitmapStoreLimits(bytes: 4 * (4096 + 64), entryBytes: 4096, useInterval: .zero)

    private func image(_ value: UInt8) throws -> ImageContainer {
        ImageContainer(
            image: try Bitmap(size: PixelSize(width: 16, height: 1)) { pixels in
                for at in 0..<64 { pixels.row(0).storeBytes(of: value, toByteOffset: at, as: UInt8.self) }
            })
    }

    private func value(_ container: ImageContainer?) -> UInt8? {
        container?.image.withUnsafeBytes { bytes in bytes.allSatisfy { $0 == bytes[0] } ? bytes[0] : nil }
    }

    private func store(_ files: any FileSystem) -> BitmapStore {
        BitmapStore(directory: "/cache", limits: BitmapStoreFaultTests.limits, fileSystem: files, now: { .seconds(9) })
    }

    /// Returns a full directory, so that a store must evict.
    private func filled() throws -> InMemoryFileSystem {
        let files = InMemoryFileSystem(now: { .seconds(1) })
        let store = store(files)
        for (number, key) in ["a", "b", "c", "d"].enumerated() {
            try store.store(try image(UInt8(number)), for: ImageCacheKey(key))
        }
        return files
    }

    @Test(arguments: [ENOSPC, EIO, EMFILE, EACCES], [false, true])
    func `Whichever call of a store fails, it succeeds or throws, leaves nothing, and later reads are right`(
        code: Int32, overwrites: Bool
    ) throws {
        let key: ImageCacheKey = overwrites ? "b" : "e"
        let runs = try failEachCall(code, limit: 200, on: filled) { files -> (BitmapStore, (any Error)?) in
            let store = self.store(files)
            return (store, expectFailure { try store.store(try image(77), for: key) })
        } check: { files, outcome, call in
            let (store, failure) = outcome
            #expect(!files.files.keys.contains { $0.hasSuffix(".tmp") }, "call \(call)")
            #expect(
                files.files.values.reduce(0) { $0 + $1.count } <= BitmapStoreFaultTests.limits.bytes, "call \(call)")
            let found = value(store.image(for: key))
            if failure != nil {
                #expect(found == nil || found == 1, "call \(call)")
            } else {
                #expect(found == 77, "call \(call)")
            }
            #expect(try store.verify().isEmpty, "call \(call)")
            try store.store(try image(78), for: key)
            #expect(value(store.image(for: key)) == 78, "call \(call)")
        }
        #expect(runs > 5 && runs < 200)
    }

    @Test(arguments: [EIO, EMFILE, EACCES])
    func `Whichever call of a lookup fails, the result is right or a miss, and nothing changes`(code: Int32) throws {
        let before = try filled().files
        let runs = try failEachCall(code, limit: 50, on: filled) { files -> (BitmapStore, UInt8?) in
            let store = self.store(files)
            return (store, value(store.image(for: "b")))
        } check: { files, outcome, _ in
            let (store, found) = outcome
            #expect(found == nil || found == 1)
            #expect(files.files == before)
            #expect(value(store.image(for: "b")) == 1)
        }
        #expect(runs > 1 && runs < 50)
    }

    @Test(arguments: [0, 1, 100, 4096, 4100])
    func `Leftovers of a dead writer are never read, and are removed`(left: Int) throws {
        let files = try filled()
        files.fail(FileFault(.create, code: EIO, persists: false, leaving: left))
        #expect(throws: DataCachingError.self) { try store(files).store(try image(77), for: "e") }
        #expect(store(files).image(for: "e") == nil)
        let later = BitmapStore(
            directory: "/cache", limits: BitmapStoreFaultTests.limits, fileSystem: files, now: { .seconds(100_000) })
        _ = try later.verify(removing: true)
        #expect(!files.files.keys.contains { $0.hasSuffix(".tmp") })
        #expect(try later.records().count == 4)
    }

    @Test func `A full disk evicts older images, not the new one`() throws {
        let files = try filled()
        files.capacity = 4 * (4096 + 64) + 100
        let store = BitmapStore(directory: "/cache", limits: .init(), fileSystem: files, now: { .seconds(9) })
        try store.store(try image(77), for: "e")
        #expect(value(store.image(for: "e")) == 77)
        #expect(try store.records().count == 4)
    }

    @Test func `A read-only directory can be read`() throws {
        let files = try filled()
        files.isReadOnly = true
        #expect(value(store(files).image(for: "c")) == 2)
        #expect(throws: DataCachingError.self) { try store(files).store(try image(9), for: "c") }
        #expect(value(store(files).image(for: "c")) == 2)
    }

    @Test func `Two stores on one directory find each other's intact images, whatever is removed meanwhile`()
        async throws
    {
        let directory = "/tmp/firn-bitmaps-\(UInt64.random(in: 0 ... .max))"
        let limits = BitmapStoreLimits(bytes: 3 << 20, entryBytes: 1 << 20, useInterval: .zero)
        let stores = [
            BitmapStore(directory: directory, limits: limits), BitmapStore(directory: directory, limits: limits),
        ]
        defer { try? stores[0].removeAll() }
        // Larger than the mapping.
        let size = PixelSize(width: 400, height: 200)
        func large(_ value: UInt8) throws -> ImageContainer {
            ImageContainer(
                image: try Bitmap(size: size) { pixels in
                    for y in 0..<size.height { memset(pixels.row(y), Int32(value), pixels.bytesPerRow) }
                })
        }
        var shown: [(ImageContainer, UInt8)] = []
        var found = 0
        for step in 0..<200 {
            let key = ImageCacheKey("key \(step % 17)")
            try stores[step % 2].store(try large(UInt8(step % 17)), for: key)
            let other = ImageCacheKey("key \(step * 7 % 17)")
            guard let container = stores[(step + 1) % 2].image(for: other) else { continue }
            found += 1
            shown.append((container, UInt8(step * 7 % 17)))
            if shown.count > 10 { shown.removeFirst() }
        }
        #expect(found > 20)
        for (container, value) in shown { #expect(self.value(container) == value) }
        #expect(try stores[0].verify().isEmpty)
    }
}

/// Returns the error that a body throws; `nil` if it throws none.
private func expectFailure(_ body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
