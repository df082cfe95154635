import FirnData
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Tests the bytes of an entry's file.
@Suite struct EntryFormatTests {
    private static let path = "/c/v2/4/44bc2cf5ad770999bea9ca8199328908.firn"

    /// One small entry, stored at 1 s after 1970, with the bytes of the format document.
    private static let literal: [UInt8] = [
        0x46, 0x49, 0x52, 0x4E, 0x02, 0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00,
        0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0xCA, 0x9A, 0x3B, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x0F, 0x2D, 0x3D, 0x31, 0xB4, 0x4A, 0x72, 0x31,
        0x61, 0x62, 0x63, 0x04, 0x00, 0x00, 0x00, 0x45, 0x54, 0x61, 0x67, 0x03,
        0x00, 0x00, 0x00, 0x22, 0x78, 0x22, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x88, 0x02, 0x0B, 0x66, 0x9A, 0x82, 0xAA, 0xE2, 0x62, 0x6F, 0x64, 0x79,
    ]

    private static func cache(_ files: InMemoryFileSystem) -> DataCache {
        DataCache(directory: "/c", fileSystem: files, now: { .seconds(1) })
    }

    private static func stored() throws -> (InMemoryFileSystem, Data) {
        let files = InMemoryFileSystem(now: { .seconds(1) })
        try cache(files).store(DataCacheEntry(data: Data("body".utf8), headers: ["ETag": "\"x\""]), for: "abc")
        return (files, try #require(files[path]))
    }

    @Test func `A small entry has exactly the bytes and the name of the format document`() throws {
        let (files, bytes) = try EntryFormatTests.stored()
        #expect(Array(files.files.keys) == [EntryFormatTests.path])
        #expect(Array(bytes) == EntryFormatTests.literal)
    }

    @Test func `The literal bytes are read as the entry they are`() throws {
        let files = InMemoryFileSystem()
        files[EntryFormatTests.path] = Data(EntryFormatTests.literal)
        let entry = try #require(try EntryFormatTests.cache(files).entry(for: "abc"))
        #expect(entry.data == Data("body".utf8))
        #expect(entry.data.startIndex == 0)
        #expect(entry.headers == ["ETag": "\"x\""])
    }

    @Test func `Metadata is read as it was stored, in any order`() throws {
        let files = InMemoryFileSystem()
        let cache = EntryFormatTests.cache(files)
        let metadata = ["b": "2", "a": "1", "": "", "url": "http://é/"]
        try cache.store(DataCacheEntry(data: Data("body".utf8), headers: ["A": "1"], metadata: metadata), for: "abc")
        let entry = try #require(try cache.entry(for: "abc"))
        #expect(entry.metadata == metadata)
        #expect(entry.headers == ["A": "1"])
        #expect(entry.data == Data("body".utf8))
    }

    /// The same entry in version 1, without metadata, as an old program left it. Only version and checksum differ.
    private static let versionOne: [UInt8] = {
        var bytes = literal
        bytes[4] = 1
        bytes.replaceSubrange(72..<80, with: [0x5D, 0xC7, 0xDD, 0x0F, 0xED, 0xE7, 0x85, 0x3B])
        return bytes
    }()

    @Test func `A file of version 1 is read`() throws {
        let files = InMemoryFileSystem()
        files[EntryFormatTests.path] = Data(EntryFormatTests.versionOne)
        let entry = try #require(try EntryFormatTests.cache(files).entry(for: "abc"))
        #expect(entry.data == Data("body".utf8) && entry.headers == ["ETag": "\"x\""] && entry.metadata.isEmpty)
        #expect(try EntryFormatTests.cache(files).verify() == [])
    }

    @Test func `Files of future versions are misses, and directories of other versions are left alone`() throws {
        let (files, bytes) = try EntryFormatTests.stored()
        let others = [
            "/c/v1/44/44bc2cf5ad770999bea9ca8199328908.firn", "/c/v3/4/44bc2cf5ad770999bea9ca8199328908.firn",
        ]
        for path in others { files[path] = Data(EntryFormatTests.versionOne) }
        var later = bytes
        later[4] = 3
        files[EntryFormatTests.path] = later
        let cache = EntryFormatTests.cache(files)
        #expect(try cache.entry(for: "abc") == nil)
        try cache.store(DataCacheEntry(data: Data("new".utf8)), for: "abc")
        try cache.removeAll()
        #expect(files.files.keys.sorted() == others.sorted())
    }

    @Test func `Every flipped bit is a miss, and the file is removed (F11)`() throws {
        let (files, bytes) = try EntryFormatTests.stored()
        let cache = EntryFormatTests.cache(files)
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            files[EntryFormatTests.path] = damaged
            #expect(try cache.entry(for: "abc") == nil, "bit \(bit)")
            #expect(files[EntryFormatTests.path] == nil, "bit \(bit)")
        }
        files[EntryFormatTests.path] = bytes
        #expect(try cache.entry(for: "abc") != nil)
    }

    @Test func `Every shorter or longer file is a miss, and is removed`() throws {
        let (files, bytes) = try EntryFormatTests.stored()
        let cache = EntryFormatTests.cache(files)
        for changed in (0..<bytes.count).map({ Data(bytes.prefix($0)) }) + [bytes + [0]] {
            files[EntryFormatTests.path] = changed
            #expect(try cache.entry(for: "abc") == nil, "\(changed.count) bytes")
            #expect(files[EntryFormatTests.path] == nil, "\(changed.count) bytes")
        }
    }

    @Test func `Random headers with a valid checksum are never read past their end`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let (_, bytes) = try EntryFormatTests.stored()
        let length = bytes.count - 4
        for _ in 0..<5_000 {
            var forged = Array(bytes)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                forged[Int.random(in: 12..<(length - 8), using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let sum = forged[..<(length - 8)].withUnsafeBytes { XXH64.hash($0) }
            withUnsafeBytes(of: sum.littleEndian) { forged.replaceSubrange((length - 8)..<length, with: $0) }
            let header = forged.withUnsafeBytes { try? EntryFormat.decode($0) }
            if let header { #expect(header.bodyLength >= 0 && header.key.utf8.count <= length, "seed \(seed)") }
        }
    }

    @Test func `Only exact names are read`() {
        let id = EntryID(key: "https://example.org/a.jpg")
        #expect(EntryID(fileName: id.fileName) == id)
        #expect(id.fileName.hasPrefix(id.shard))
        #expect(EntryID(fileName: id.fileName.uppercased()) == nil)
        #expect(EntryID(fileName: "+" + id.fileName.dropFirst()) == nil)
        #expect(EntryID(fileName: ".firn") == nil)
        #expect(EntryID(fileName: "") == nil)
    }
}
