import HTTPTypes
import NIOCore
import Testing

@testable import FirnServe

@Suite("Results in memory")
struct BoundedMapTests {
    private func result(_ count: Int) -> ServedResult {
        ServedResult(
            body: ByteBuffer(repeating: 0, count: count), mediaType: "image/png", entityTag: "\"\(count)\"", made: 0)
    }

    private func store(_ result: ServedResult, for key: Int, in memory: inout BoundedMap<Int, ServedResult>) {
        memory.store(result, for: key, cost: result.cost)
    }

    @Test func `the least recently used results go first, and the bytes stay within the limit`() {
        var memory = BoundedMap<Int, ServedResult>(limit: 100_000)
        for key in 0..<9 { store(result(10_000), for: key, in: &memory) }
        #expect(memory.value(for: 0) != nil)
        store(result(10_000), for: 9, in: &memory)
        #expect(memory.value(for: 0) != nil)
        #expect(memory.value(for: 1) == nil)
        #expect(memory.cost <= 100_000 && memory.count == 9)
    }

    @Test func `a result of more than an eighth of the limit is not kept, and replaces none`() {
        var memory = BoundedMap<Int, ServedResult>(limit: 8000, largest: 1000)
        store(result(100), for: 1, in: &memory)
        store(result(1000), for: 2, in: &memory)
        #expect(memory.count == 1 && memory.value(for: 2) == nil)
    }

    @Test func `random stores and look-ups agree with a plain list`() {
        var memory = BoundedMap<Int, ServedResult>(limit: 20_000, largest: 2500)
        var list: [(key: Int, count: Int)] = []
        var seed: UInt64 = 5
        func number(below bound: UInt64) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % bound)
        }
        for _ in 0..<20_000 {
            let key = number(below: 40)
            if number(below: 2) == 0 {
                let count = number(below: 2200)
                store(result(count), for: key, in: &memory)
                list.removeAll { $0.key == key }
                if count + 256 <= 2500 {
                    list.insert((key, count), at: 0)
                    while list.reduce(0, { $0 + $1.count + 256 }) > 20_000 { list.removeLast() }
                }
            } else {
                let found = list.firstIndex { $0.key == key }
                #expect(memory.value(for: key)?.count == found.map { list[$0].count })
                if let found { list.insert(list.remove(at: found), at: 0) }
            }
        }
        #expect(memory.count == list.count)
    }
}

@Suite("What of a result a client gets")
struct ResponsePlanTests {
    @Test(
        arguments: [
            (nil, nil, nil, ResponsePlan.whole),
            ("\"t\"", nil, nil, .notModified),
            ("W/\"t\"", "bytes=0-1", nil, .notModified),
            ("\"a\", \"t\"", nil, nil, .notModified),
            ("*", nil, nil, .notModified),
            ("\"a\"", nil, nil, .whole),
            ("\"t", nil, nil, .whole),
            ("\"a,t\"", nil, nil, .whole),
            (nil, "bytes=0-0", nil, .part(0..<1)),
            (nil, "bytes=5-", nil, .part(5..<10)),
            (nil, "bytes=-3", nil, .part(7..<10)),
            (nil, "bytes=-30", nil, .part(0..<10)),
            (nil, "bytes=8-99999999999999999999", nil, .part(8..<10)),
            (nil, "bytes=10-", nil, .notSatisfiable),
            (nil, "bytes=99999999999999999999-", nil, .notSatisfiable),
            (nil, "bytes=-0", nil, .notSatisfiable),
            (nil, "bytes=3-2", nil, .whole),
            (nil, "bytes=0-1,3-4", nil, .whole),
            (nil, "bytes=+1-2", nil, .whole),
            (nil, "lines=1-2", nil, .whole),
            (nil, "bytes=0-1", "\"t\"", .part(0..<2)),
            (nil, "bytes=0-1", "\"other\"", .whole),
        ] as [(String?, String?, String?, ResponsePlan)])
    func `conditions and ranges`(_ ifNoneMatch: String?, _ range: String?, _ ifRange: String?, _ expected: ResponsePlan)
    {
        var fields = HTTPFields()
        (fields[.ifNoneMatch], fields[.range], fields[.ifRange]) = (ifNoneMatch, range, ifRange)
        #expect(ResponsePlan(fields, entityTag: "\"t\"", modified: nil, count: 10) == expected)
        // HEAD has no ranges.
        let head = ResponsePlan(fields, isHead: true, entityTag: "\"t\"", modified: nil, count: 10)
        #expect(head == (expected == .notModified ? .notModified : .whole))
    }

    // The source changed at second 784111777.
    @Test(
        arguments: [
            (["If-Match": "\"t\""], ResponsePlan.whole), (["If-Match": "*"], .whole),
            (["If-Match": "\"a\", \"t\""], .whole),
            (["If-Match": "\"a\""], .failed), (["If-Match": "W/\"t\""], .failed), (["If-Match": ""], .failed),
            (["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], .whole),
            (["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], .failed),
            (["If-Unmodified-Since": "yesterday"], .whole),
            (["If-Match": "\"t\"", "If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], .whole),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], .notModified),
            (["If-Modified-Since": "Sunday, 06-Nov-94 08:49:37 GMT"], .notModified),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], .whole), (["If-Modified-Since": "1"], .whole),
            (["If-None-Match": "\"a\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], .whole),
            (["If-Match": "\"a\"", "If-None-Match": "\"t\"", "Range": "bytes=0-1"], .failed),
            (["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "Range": "bytes=0-1"], .part(0..<2)),
        ] as [([String: String], ResponsePlan)])
    func `conditions apply in the order of RFC 9110`(_ texts: [String: String], _ expected: ResponsePlan) {
        var fields = HTTPFields()
        for (name, value) in texts { fields.set(name, value) }
        #expect(ResponsePlan(fields, entityTag: "\"t\"", modified: 784_111_777, count: 10) == expected)
        // Without a time, conditions on it do not count.
        let undated = ResponsePlan(fields, entityTag: "\"t\"", modified: nil, count: 10)
        if fields[.ifUnmodifiedSince] != nil { #expect(undated != .failed) }
        if fields[.ifModifiedSince] != nil { #expect(undated == .whole) }
    }
}

@Suite("Admission")
struct AdmissionQueueTests {
    @Test func `work beyond a limit is refused, and taken again after a release`() throws {
        var limits = AdmissionLimits()
        (limits.total, limits.transfers, limits.perClient, limits.perHost) = (5, 0, 3, 2)
        var queue = AdmissionQueue(limits: limits)
        try queue.take("1", client: "a", host: "x")
        try queue.take("2", client: "a", host: "x")
        try queue.take("3", client: "a", host: "y")
        #expect(throws: AdmissionError.source) { try queue.take("4", client: "b", host: "x") }
        #expect(throws: AdmissionError.client) { try queue.take("4", client: "a", host: "z") }
        try queue.take("4", client: "b", host: "y")
        try queue.take("5", client: "b", host: "z")
        #expect(throws: AdmissionError.total) { try queue.take("6", client: "c", host: "w") }
        queue.release("1")
        try queue.take("6", client: "c", host: "x")
        #expect(queue.count == 5)
    }

    @Test func `work that waits for sources is not counted as work, up to the limit of transfers`() throws {
        var limits = AdmissionLimits()
        (limits.total, limits.transfers, limits.perClient) = (2, 3, 100)
        var queue = AdmissionQueue(limits: limits)
        for index in 0..<4 { try queue.take("\(index)", client: "a", host: "\(index)", computing: 0) }
        #expect(throws: AdmissionError.total) { try queue.take("5", client: "a", host: "5", computing: 2) }
        try queue.take("5", client: "a", host: "5", computing: 1)
        #expect(throws: AdmissionError.total) { try queue.take("6", client: "a", host: "6", computing: 0) }
    }

    @Test func `a client is limited in what computes, and otherwise to half of all`() throws {
        var limits = AdmissionLimits()
        (limits.total, limits.transfers, limits.perClient) = (10, 10, 2)
        var queue = AdmissionQueue(limits: limits)
        for index in 0..<5 { try queue.take("\(index)", client: "a", host: "\(index)", computing: 1) }
        #expect(throws: AdmissionError.client) { try queue.take("5", client: "a", host: "5", computing: 2) }
        for index in 5..<10 { try queue.take("\(index)", client: "a", host: "\(index)", computing: 0) }
        #expect(throws: AdmissionError.client) { try queue.take("10", client: "a", host: "10", computing: 0) }
        try queue.take("10", client: "b", host: "10", computing: 0)
    }

    @Test func `dead hosts leave work to others, and a host always has its places`() throws {
        var limits = AdmissionLimits()
        (limits.total, limits.transfers, limits.perClient, limits.perHost) = (10, 90, 100, 5)
        var queue = AdmissionQueue(limits: limits)
        func fill(_ host: String) -> Int {
            (0..<100).count { index in
                (try? queue.take("\(host)\(index)", client: "a", host: host, computing: 0)) != nil
            }
        }
        #expect(fill("dead") == 50 && fill("too") == 25)
        #expect(fill("good") == 13 && fill("small") == 6 && fill("last") == 5)
    }

    @Test func `a request for work that was taken joins it beyond every limit, and the last one ends it`() throws {
        var limits = AdmissionLimits()
        (limits.total, limits.transfers) = (1, 0)
        var queue = AdmissionQueue(limits: limits)
        for client in ["a", "b", "c"] { try queue.take("1", client: client, host: "x") }
        #expect(queue.count == 1 && queue.requests == 3 && queue.joined == 2)
        queue.release("1")
        queue.release("1")
        #expect(throws: AdmissionError.total) { try queue.take("2", client: "a", host: "x") }
        queue.release("1")
        try queue.take("2", client: "a", host: "x")
        queue.release("3")
        #expect(queue.count == 1 && queue.requests == 1)
    }

    @Test func `memory returns to the system once an eighth of much work is left, and not for less work`() throws {
        var queue = AdmissionQueue()
        func returns(of count: Int) throws -> [Int] {
            for index in 0..<count { try queue.take("\(index)", client: "\(index)", host: "\(index)", computing: 0) }
            return (0..<count).filter { queue.release("\($0)") }
        }
        #expect(try returns(of: 255) == [])
        // One hundred are left. Their own end returns nothing: they are little work.
        #expect(try returns(of: 800) == [699])
        #expect(try returns(of: 800) == [699])
    }
}
