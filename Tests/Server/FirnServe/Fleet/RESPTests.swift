import FirnData
import NIOCore
import Testing

@testable import FirnServe

@Suite("Redis's protocol")
struct RESPTests {
    private static let samples: [(String, RESPValue)] = [
        ("+OK\r\n", .text("OK")), ("-MOVED 1 a:2\r\n", .error("MOVED 1 a:2")), (":-7\r\n", .number(-7)),
        ("$3\r\na\r\n\r\n", .bytes(ByteBuffer(string: "a\r\n"))), ("$0\r\n\r\n", .bytes(ByteBuffer())),
        ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null), ("#t\r\n", .number(1)), ("#f\r\n", .number(0)),
        (",1.5\r\n", .text("1.5")), ("(12345678901234567890\r\n", .text("12345678901234567890")),
        ("=7\r\ntxt:abc\r\n", .bytes(ByteBuffer(string: "abc"))), ("!3\r\nbad\r\n", .error("bad")),
        ("*2\r\n:1\r\n*1\r\n+a\r\n", .list([.number(1), .list([.text("a")])])), ("~1\r\n_\r\n", .list([.null])),
        ("%1\r\n+k\r\n:1\r\n", .list([.text("k"), .number(1)])), (">1\r\n+m\r\n", .push([.text("m")])),
        ("|1\r\n+ttl\r\n:3\r\n+x\r\n", .text("x")),
    ]

    @Test func `values are read however their bytes arrive`() throws {
        let all = Self.samples.map(\.0).joined()
        for size in [1, 2, 3, 7, all.utf8.count] {
            var parser = RESPParser()
            var found: [RESPValue] = []
            var rest = Array(all.utf8)[...]
            while !rest.isEmpty {
                parser.append(ByteBuffer(bytes: rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let value = try parser.next() { found.append(value) }
            }
            #expect(found == Self.samples.map(\.1))
        }
    }

    @Test(arguments: [
        "x\r\n", "$x\r\n", "$-2\r\n", "$9999999999\r\n", "*-2\r\n", "*99999999\r\n", "%-2\r\n", "+a\rb\r\n",
        "$1\r\naXY", ":\r\n", ":99999999999999999999\r\n", String(repeating: "*1\r\n", count: 9),
        String(repeating: "|0\r\n", count: 9), "+" + String(repeating: "a", count: 70_000),
    ])
    func `an invalid or too large value is an error`(_ text: String) {
        var parser = RESPParser()
        parser.append(ByteBuffer(string: text))
        #expect(throws: RedisFault.malformed) { while try parser.next() != nil {} }
    }

    @Test func `random bytes never end the process`() {
        var seed: UInt64 = 3
        func byte() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let alphabet = Array("+-:$*~>%|_#,(=!0123459\r\n\r\n\r\na".utf8)
            return alphabet[Int((seed >> 33) % UInt64(alphabet.count))]
        }
        var values = 0
        for _ in 0..<20_000 {
            var parser = RESPParser(maximumBytes: 1000)
            parser.append(ByteBuffer(bytes: (0..<40).map { _ in byte() }))
            while let value = try? parser.next(), values >= 0 { values += value == .null ? 1 : 2 }
        }
        #expect(values > 500)
    }

    @Test(arguments: [("123456789", 12_739), ("{foo}:r", 12_182), ("foo", 12_182), ("f:{abc}:l", 7638)])
    func `slots of keys`(_ key: String, _ slot: Int) {
        #expect(RedisSlot.slot(of: key) == slot)
        #expect(RedisSlot.checksum("123456789".utf8) == 0x31C3)
    }

    @Test func `braces count only around a text`() {
        #expect(RedisSlot.slot(of: "f:{a}{b}") == 15_495 && RedisSlot.slot(of: "f:{}x") == 14_712)
        #expect(RedisSlot.slot(of: "}{") == RedisSlot.slot(of: "}{") && RedisSlot.slot(of: "") == 0)
    }

    @Test func `redirections name a node`() {
        let place = RedisAddress.Node(host: "h", port: 1)
        #expect(RedisRedirection("MOVED 5 10.0.0.1:7001", from: place)?.node == .init(host: "10.0.0.1", port: 7001))
        #expect(RedisRedirection("ASK 5 :7001", from: place)?.node == .init(host: "h", port: 7001))
        #expect(RedisRedirection("ASK 5 ?:7001", from: place)?.isPermanent == false)
        for text in ["MOVED", "MOVED 5 x", "MOVED 5 a:0", "OOM no memory", "ASK 5 a:b", "MOVED 5 a/b:1"] {
            #expect(RedisRedirection(text, from: place) == nil)
        }
    }
}

@Suite("Addresses of Redis")
struct RedisAddressTests {
    @Test func `hosts, ports, secrets, databases`() throws {
        let plain = try RedisAddress("redis://cache")
        #expect(plain.nodes == [.init(host: "cache", port: 6379)] && plain.password.isEmpty && !plain.isSecure)
        let full = try RedisAddress("rediss://me:p%40ss%2F@[::1]:7000/3")
        #expect(full.nodes == [.init(host: "::1", port: 7000)] && full.user == "me" && full.password == "p@ss/")
        #expect(full.isSecure && full.database == 3)
        #expect(try RedisAddress("redis://:x@a").user == "default")
        #expect(try RedisAddress("redis://a:1,b:2").nodes.map(\.port) == [1, 2])
    }

    @Test(arguments: [
        "http://a", "redis://", "redis://a:0", "redis://a:99999", "redis://a:x", "redis://a,,b", "redis://a b",
        "redis://secret@a", "redis://u:secret%2@a", "redis://u:secret@a/x", "redis://a,b/2", "redis://a/-1",
    ])
    func `an error does not show the password`(_ text: String) {
        let error = #expect(throws: ConfigurationError.self) { try RedisAddress(text) }
        #expect(error?.description.contains("secret") == false)
    }
}

@Suite("Results in stores")
struct StoredResultTests {
    private let key = String(repeating: "ab", count: 32)
    private let result = ServedResult(
        body: ByteBuffer(bytes: 0..<200), mediaType: "image/webp", entityTag: "\"0123\"", made: 1_700_000_000,
        terms: SourceTerms(
            freshUntil: 1_700_000_060, modified: 784_111_777, fields: ["X-Rights": "a, b", "Link": "<c>"]))

    @Test(arguments: [true, false])
    func `a result returns as it was; with any byte changed, cut or added it is a miss`(_ hasSecret: Bool) throws {
        let format = StoredResult(secrets: hasSecret ? [[1, 2, 3]] : [])
        let bytes = format.encode(result, key: key)
        #expect(format.decode(bytes, key: key) == result)
        let plain = ServedResult(body: ByteBuffer(), mediaType: "image/png", entityTag: "\"x\"", made: 0)
        #expect(format.decode(format.encode(plain, key: key), key: key) == plain)
        #expect(format.decode(bytes, key: String(repeating: "ac", count: 32)) == nil)
        let all = Array(bytes.readableBytesView)
        for place in all.indices {
            var changed = all
            changed[place] ^= 0x10
            #expect(format.decode(ByteBuffer(bytes: changed), key: key) == nil)
            #expect(format.decode(ByteBuffer(bytes: all[..<place]), key: key) == nil)
        }
        #expect(format.decode(ByteBuffer(bytes: all + [0]), key: key) == nil)
    }

    @Test func `only servers with the secret make results, and an older secret is accepted for a while`() {
        let (old, new) = (StoredResult(secrets: [[1]]), StoredResult(secrets: [[2], [1]]))
        #expect(new.decode(old.encode(result, key: key), key: key) == result)
        #expect(old.decode(new.encode(result, key: key), key: key) == nil)
        #expect(old.decode(StoredResult(secrets: []).encode(result, key: key), key: key) == nil)
        let split = ServedResult(body: ByteBuffer(), mediaType: "a\r\nb", entityTag: "\"x\"", made: 0)
        #expect(old.decode(old.encode(split, key: key), key: key) == nil)
    }
}
