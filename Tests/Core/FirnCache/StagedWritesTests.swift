import FirnTesting
import Testing

@testable import FirnCache

/// Tests entries that wait to be written.
@Suite struct StagedWritesTests {
    typealias Writes = StagedWrites<String, Int>

    @Test func `Entries are written in the order of staging, and found until then`() throws {
        var writes = Writes(limit: 100)
        for (number, key) in ["a", "b", "c"].enumerated() { _ = writes.put(number, for: key, bytes: 10) }
        #expect(writes.bytes == 30)
        for (number, key) in ["a", "b", "c"].enumerated() {
            let next = writes.next()
            let write = try #require(next)
            #expect(write.key == key && write.entry == number)
            #expect(writes.entry(for: key) == number)
            writes.finish(write)
            #expect(writes.entry(for: key) == nil)
        }
        #expect(writes.next() == nil && writes.isEmpty && writes.bytes == 0)
    }

    @Test func `A newer entry of a key replaces a waiting one`() throws {
        var writes = Writes(limit: 100)
        _ = writes.put(1, for: "a", bytes: 10)
        #expect(writes.put(2, for: "a", bytes: 20)?.entry == 1)
        #expect(writes.bytes == 20)
        let next = writes.next()
        let write = try #require(next)
        #expect(write.entry == 2)
        writes.finish(write)
        #expect(writes.next() == nil && writes.isEmpty)
    }

    @Test func `An entry being written is no longer wanted once it was replaced or dropped`() throws {
        for isDropped in [true, false] {
            var writes = Writes(limit: 100)
            _ = writes.put(1, for: "a", bytes: 10)
            let begun = writes.next()
            let first = try #require(begun)
            #expect(writes.isCurrent(first))
            if isDropped { #expect(writes.drop("a") == nil) } else { #expect(writes.put(2, for: "a", bytes: 5) == nil) }
            #expect(!writes.isCurrent(first))
            #expect(writes.entry(for: "a") == (isDropped ? nil : 2))
            writes.finish(first)
            #expect(writes.bytes == (isDropped ? 0 : 5))
            #expect(writes.next()?.entry == (isDropped ? nil : 2))
        }
    }

    @Test func `Random puts, writes and drops keep the byte count exact and end empty`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var writes = Writes(limit: 500)
        var model: [String: Int] = [:]
        var begun: [Writes.Write] = []
        for step in 0..<20_000 {
            let key = "k\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let bytes = Int.random(in: 1...90, using: &random)
                guard writes.hasRoom(bytes) else { continue }
                _ = writes.put(step, for: key, bytes: bytes)
                model[key] = step
            case 4..<7:
                if let write = writes.next() {
                    #expect(model[write.key] == write.entry)
                    begun.append(write)
                }
            case 7..<9:
                guard let at = begun.indices.randomElement(using: &random) else { continue }
                let write = begun.remove(at: at)
                if writes.isCurrent(write) { model[write.key] = nil }
                writes.finish(write)
            default:
                writes.drop(key)
                model[key] = nil
            }
            try #require(writes.count == model.count, "seed \(seed), step \(step)")
            try #require(writes.entry(for: key) == model[key], "seed \(seed), step \(step)")
            try #require(writes.bytes <= 500, "seed \(seed), step \(step)")
        }
        for write in begun { writes.finish(write) }
        while let write = writes.next() { writes.finish(write) }
        #expect(writes.isEmpty && writes.bytes == 0 && writes.count == 0, "seed \(seed)")
    }

    @Test func `Several entries are written together up to a number and size; one always is`() {
        var writes = StagedWrites<String, Int>(limit: 1_000)
        for number in 0..<6 { _ = writes.put(number, for: "\(number)", bytes: 100) }
        writes.drop("1")
        #expect(writes.next(most: 2, bytes: 1_000).map(\.key) == ["0", "2"])
        #expect(writes.next(most: 8, bytes: 250).map(\.key) == ["3", "4"])
        #expect(writes.next(most: 8, bytes: 10).map(\.key) == ["5"])
        #expect(writes.next(most: 8, bytes: 1_000).isEmpty && !writes.isEmpty && writes.isIdle)
    }
}
