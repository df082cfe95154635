import FirnCodecs
import FirnData
import FirnImage
import FirnTesting
import Foundation
import Synchronization
import Testing

@testable import FirnCache

/// Tests the thumbnails that programs of the desktop share.
@Suite(.timeLimit(.minutes(2))) final class ThumbnailStoreTests {
    private let folder: String
    private let store: ThumbnailStore
    private let file: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/firn-thumbnails-\(UUID())"
        store = ThumbnailStore(directory: URL(filePath: folder + "/thumbnails"))
        file = URL(filePath: folder + "/a photo é.jpg")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: file)
        try setTime(1_700_000_000.75)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func setTime(_ seconds: Double) throws { try ThumbnailStoreTests.setTime(of: file, seconds) }

    private static func setTime(of file: URL, _ seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file.path)
    }

    /// Returns when the clock of the file system, which advances in steps, is past the time of a file.
    private func tick(after path: String) throws {
        func time(_ path: String) throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        let before = try #require(try time(path))
        let probe = folder + "/probe"
        repeat { try Data([0]).write(to: URL(filePath: probe)) } while try #require(try time(probe)) <= before
    }

    private static func png(_ side: Int) throws -> Data {
        try PNGEncoder().encode(Bitmap(size: PixelSize(width: side, height: side / 2)) { _ in })
    }

    private var path: String { get throws { try #require(store.path(for: file, size: .normal)) } }

    /// The example of the standard, section "Creation", and GLib's escapes.
    @Test func `Names are the MD5 of the address`() {
        #expect(ThumbnailEntry(path: "/home/jens/photos/me.png")?.name == "c6ee772d9e49320e97ec29a7eb5b1697.png")
        #expect(MD5.hexadecimal(of: []) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(MD5.hexadecimal(of: Array(repeating: 0x61, count: 119)) == "8a7bd0732ed6a28ce75f6dabc90e1613")
        #expect(
            ThumbnailEntry(path: "/tmp/ä b!$&'()*+,;=:@%[]~.png")?.address
                == "file:///tmp/%C3%A4%20b!$&'()*+,%3B=:@%25%5B%5D~.png")
    }

    @Test func `A thumbnail is made once, and is private`() async throws {
        let image = try ThumbnailStoreTests.png(128)
        let count = Mutex(0)
        for _ in 0..<2 {
            let data = try await store.data(for: file, size: .normal) {
                count.withLock { $0 += 1 }
                return image
            }
            let stored = try #require(data)
            let texts = try #require(ThumbnailPNG.content(of: stored)?.texts)
            #expect(texts["Thumb::MTime"] == "1700000000" && texts["Thumb::Size"] == "3")
            #expect(texts["Thumb::URI"]?.hasSuffix("/a%20photo%20%C3%A9.jpg") == true)
            let decoder = ImageDecoder()
            try decoder.setData(stored, allDataReceived: true)
            #expect(try decoder.frame(at: 0).image().size == PixelSize(width: 128, height: 64))
        }
        #expect(count.withLock { $0 } == 1)
        #expect(await store.data(for: file, size: .normal) != nil)
        #expect(await store.data(for: file, fitting: 100) != nil)
        #expect(await store.data(for: file, fitting: 129) == nil)
        #expect(await store.data(for: file, size: .large) == nil)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600 && mode(store.folder + "/normal") == 0o700)
        await store.remove(for: file)
        #expect(await store.data(for: file, size: .normal) == nil)
    }

    @Test func `A file that has changed has no thumbnail`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        _ = try await store.data(for: file, size: .normal) { image }
        try setTime(1_700_000_001)
        #expect(await store.data(for: file, size: .normal) == nil)
        // Changed while it was made: returned, and not stored.
        let made = try await store.data(for: file, size: .normal) { [file] in
            try ThumbnailStoreTests.setTime(of: file, 1_700_000_002)
            return image
        }
        #expect(made != nil)
        #expect(await store.data(for: file, size: .normal) == nil)
    }

    @Test func `A file that cannot be decoded is tried once`() async throws {
        for _ in 0..<2 { #expect(try await store.data(for: file, size: .normal) { nil } == nil) }
        let image = try ThumbnailStoreTests.png(64)
        #expect(try await store.data(for: file, size: .large) { image } == nil)
        try setTime(1_800_000_000)
        #expect(try await store.data(for: file, size: .large) { image } != nil)
    }

    @Test func `Foreign, damaged and hostile entries are ignored`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        let made = try #require(try await store.data(for: file, size: .normal) { image })
        let other = try #require(ThumbnailEntry(path: "/other.jpg"))
        let status = try #require(ThumbnailEntry(path: file.path)).status()
        var entries = [Data(), Data(made.prefix(made.count - 1)), image, try ThumbnailStoreTests.png(200)]
        entries.append(ThumbnailPNG.naming(other, status, in: image))
        entries += stride(from: 0, to: made.count, by: 5).map { Data(made.prefix($0)) }
        var long = made
        long[made.startIndex + 8] = 0xFF  // The length of the first chunk.
        var wrong = made
        wrong[made.endIndex - 20] ^= 1  // Pixels.
        entries += [wrong, ThumbnailStoreTests.without("IDAT", made)]
        entries += [long, made + Data(count: ThumbnailStore.Size.normal.maximumBytes)]
        for entry in entries {
            try entry.write(to: URL(filePath: path))
            #expect(await store.data(for: file, size: .normal) == nil)
        }
        try made.write(to: URL(filePath: folder + "/linked.png"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/linked.png")
        #expect(await store.data(for: file, size: .normal) == nil)
        try FileManager.default.removeItem(atPath: path)
        try made.write(to: URL(filePath: path))
        #expect(await store.data(for: file, size: .normal) == made)
    }

    /// Returns a PNG without the chunks of a type.
    private static func without(_ type: String, _ png: Data) -> Data {
        var rest = png.dropFirst(8)
        var result = png.prefix(8)
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) } + 12
            if String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self) != type { result += rest.prefix(length) }
            rest = rest.dropFirst(length)
        }
        return result
    }

    @Test func `An entry whose pixels are cut is made again, though its checksums are right`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        let made = try #require(try await store.data(for: file, size: .normal) { image })
        #expect(ThumbnailPNG.hasWholePixels(made))
        let entry = try #require(ThumbnailEntry(path: file.path))
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 4, 0, 0, 0]
        var cut = Data([137, 80, 78, 71, 13, 10, 26, 10]) + ThumbnailPNG.chunk("IHDR", header)
        cut += ThumbnailPNG.chunk("IDAT", [0x78, 1, 1, 3, 0, 0xFC, 0xFF, 0]) + ThumbnailPNG.chunk("IEND", [])
        cut = ThumbnailPNG.naming(entry, try entry.status(), in: cut)
        #expect(ThumbnailPNG.content(of: cut) != nil && !ThumbnailPNG.hasWholePixels(cut))
        try cut.write(to: URL(filePath: path))
        #expect(try await store.data(for: file, size: .normal) { image } == made)
        #expect(try Data(contentsOf: URL(filePath: path)) == made)
    }

    @Test func `Files that change places have other thumbnails`() async throws {
        let other = URL(filePath: folder + "/b.jpg")
        try Data([4, 5, 6]).write(to: other)
        try ThumbnailStoreTests.setTime(of: other, 1_700_000_000.75)
        let image = try ThumbnailStoreTests.png(64)
        for file in [file, other] { _ = try await store.data(for: file, size: .normal) { image } }
        // As made by another program, which does not know the time of the change.
        let entry = try #require(store.path(for: other, size: .normal))
        let texts = [
            ("Thumb::URI", try #require(ThumbnailEntry(path: other.path)).address), ("Thumb::MTime", "1700000000"),
        ]
        .map { ThumbnailPNG.chunk("tEXt", Array("\($0)\u{0}\($1)".utf8)) }
        let foreign = image.prefix(33) + texts[0] + texts[1] + image.dropFirst(33)
        try foreign.write(to: URL(filePath: entry))
        for file in [file, other] { #expect(await store.data(for: file, size: .normal) != nil) }
        try tick(after: entry)
        for (from, to) in [(file.path, "x"), (other.path, file.path), ("x", other.path)] {
            rename(from == "x" ? folder + "/x" : from, to == "x" ? folder + "/x" : to)
        }
        for file in [file, other] { #expect(await store.data(for: file, size: .normal) == nil) }
    }

    @Test func `A failed store is reported`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        let reasons = Mutex<[Int32?]>([])
        func make(_ store: ThumbnailStore, _ change: @escaping @Sendable () throws -> Void = {}) async throws -> Data? {
            try await store.data(
                for: file, size: .normal, notStored: { error in reasons.withLock { $0.append(error.code) } }
            ) {
                try change()
                return image
            }
        }
        #expect(try await make(ThumbnailStore(directory: URL(filePath: "/proc/none/thumbnails"))) != nil)
        let late = try await make(store) { [file] in try ThumbnailStoreTests.setTime(of: file, 1) }
        #expect(late != nil)
        try FileManager.default.createDirectory(
            atPath: store.folder + "/normal", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try await make(store) != nil)
        #expect(reasons.withLock { $0 } == [ENOENT, DataFileError.changed, DataFileError.notRegular])
        #expect(try await make(ThumbnailStore(directory: URL(filePath: folder + "/fine"))) != nil)
        #expect(reasons.withLock { $0.count } == 3)
    }

    @Test(.enabled(if: geteuid() == 0)) func `A store of another user is refused`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        _ = try await store.data(for: file, size: .normal) { image }
        for directory in [store.folder + "/normal", store.folder] {
            chown(directory, 1234, 1234)
            #expect(await store.data(for: file, size: .normal) == nil)
            let reason = Mutex<Int32?>(nil)
            let data = try await store.data(
                for: file, size: .normal, notStored: { error in reason.withLock { $0 = error.code } }
            ) { image }
            #expect(data != nil && reason.withLock { $0 } == DataFileError.ownedByAnother)
            chown(directory, 0, 0)
            #expect(await store.data(for: file, size: .normal) != nil)
        }
    }

    @Test func `Only local files outside of the store have thumbnails`() async throws {
        let image = try ThumbnailStoreTests.png(64)
        _ = try await store.data(for: file, size: .normal) { image }
        for url in [URL(filePath: try path), try #require(URL(string: "https://a.example/b.jpg"))] {
            await #expect(throws: ImageError.self) { try await store.data(for: url, size: .normal) { image } }
        }
        let missing = URL(filePath: folder + "/none.jpg")
        await #expect(throws: ImageError.self) { try await store.data(for: missing, size: .normal) { image } }
    }
}
