import FirnData
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Tests bodies that are written before they are complete.
@Suite(.timeLimit(.minutes(5))) final class ArrivingBodyTests: Sendable {
    private let folder: String
    private let cache: DataCache
    private let half = 1 << 20
    private var data: Data { ArrivingBodyTests.data }
    /// Each KiB has other bytes than those before it.
    private static let data = (0..<2048).reduce(into: Data()) { data, block in
        data += Data(repeating: UInt8(truncatingIfNeeded: block &* 7 &+ block >> 8), count: 1024)
    }

    init() {
        folder = FileManager.default.temporaryDirectory.path + "/firn-arriving-\(UUID())"
        cache = DataCache(directory: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var entry: DataCacheEntry { DataCacheEntry(data: data, headers: ["Content-Type": "image/x"]) }

    /// Returns a body whose first half is written.
    private func half(for key: String) async throws -> ArrivingBody {
        let body = cache.arrivingBody(for: key)
        body.append([Data(data.prefix(1000)), data.dropFirst(1000).prefix(half - 1000)], at: 0)
        try await eventually { unnamedBytes(in: folder) == ArrivingBody.headerLength + half }
        return body
    }

    private func expectEntry(headerLength: Int? = nil) throws {
        cache.flush()
        let other = DataCache(directory: folder)
        let found = try #require(try other.entry(for: "a"))
        #expect(found.data == data && found.headers["Content-Type"] == "image/x")
        #expect(try other.verify().isEmpty)
        let statistics = try other.statistics()
        #expect(statistics.count == 1)
        if let headerLength { #expect(statistics.bytes == headerLength + data.count) }
        #expect(unnamedBytes(in: folder) == 0)
    }

    @Test func `An entry gets the file that a part of its body is in`() async throws {
        let body = try await half(for: "a")
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        #expect(try cache.entry(for: "a")?.data == data)
        try expectEntry(headerLength: ArrivingBody.headerLength)
    }

    @Test func `Bytes that the writer did not get to are written with the entry`() async throws {
        let body = try await half(for: "a")
        body.append([data.dropFirst(half)], at: half)
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        try expectEntry(headerLength: ArrivingBody.headerLength)
    }

    @Test func `A body that is dropped leaves no file`() async throws {
        let body = try await half(for: "a")
        body.drop()
        try await eventually { unnamedBytes(in: folder) == 0 }
        body.append([data.dropFirst(half)], at: half)
        cache.stage(entry, for: "b")
        cache.flush()
        #expect(try cache.entry(for: "a") == nil && cache.statistics().count == 1)
        #expect(unnamedBytes(in: folder) == 0)
    }

    @Test func `A body that is released leaves no file`() async throws {
        do { _ = try await half(for: "a") }
        try await eventually { unnamedBytes(in: folder) == 0 }
        #expect(try cache.statistics().count == 0)
    }

    @Test func `A body longer than a quarter of the cache is not written before its entry`() async throws {
        let cache = DataCache(directory: folder, limits: DataCacheLimits(bytes: 4 * half))
        let body = cache.arrivingBody(for: "a")
        body.append([data.prefix(half)], at: 0)
        // One thread writes the bodies in their order.
        let short = cache.arrivingBody(for: "b")
        short.append([Data(count: 1000)], at: 0)
        try await eventually { unnamedBytes(in: folder) == ArrivingBody.headerLength + 1000 }
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        cache.flush()
        #expect(try cache.entry(for: "a")?.data == data)
    }

    @Test func `After a gap the rest of the body is written with the entry`() async throws {
        let body = try await half(for: "a")
        body.append([data.dropFirst(half + 1)], at: half + 1)
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        try expectEntry(headerLength: ArrivingBody.headerLength)
    }

    @Test func `An entry whose header is longer than the space for it is written as a whole`() async throws {
        let body = try await half(for: "a")
        var entry = entry
        entry.metadata["note"] = String(repeating: "x", count: ArrivingBody.headerLength)
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        try expectEntry()
    }

    @Test func `An entry whose body gets no name is written as a whole`() throws {
        let files = InMemoryFileSystem()
        let cache = DataCache(directory: "/cache", fileSystem: files)
        cache.stage(DataCacheEntry(data: data), for: "first")
        cache.flush()
        let body = cache.arrivingBody(for: "a")
        body.append([data.prefix(half)], at: 0)
        body.write()
        // The file in memory is created when it gets its name.
        files.fail(FileFault(.create, code: 28))
        cache.stage(entry, for: "a", with: body) { #expect($0 == nil) }
        cache.flush()
        #expect(try cache.entry(for: "a")?.data == data)
    }
}
