import Testing

@testable import FirnServe

@Suite struct PurgeLogTests {
    @Test(arguments: [
        ("a", true, true, true), ("shttps://a.org/1.jpg", true, true, false), ("rone", true, false, false),
        ("rtwo", false, false, false), ("phttps://a.org/", true, true, false), ("phttps://", true, true, true),
        ("plocal:///", false, false, false), ("shttps://a.org/1", false, false, false),
    ])
    func `a target matches one result, the results of one source, those of a prefix, or all`(
        _ target: String, _ matchesResult: Bool, _ matchesSource: Bool, _ matchesOther: Bool
    ) {
        var log = PurgeLog()
        #expect(log.revision(of: "https://a.org/1.jpg", result: "one") == 0)
        #expect(log.add(target, now: 7) == 7)
        #expect((log.revision(of: "https://a.org/1.jpg", result: "one") == 7) == matchesResult)
        #expect((log.revision(of: "https://a.org/1.jpg") == 7) == matchesSource)
        #expect((log.revision(of: "https://b.org/1.jpg", result: "three") == 7) == matchesOther)
    }

    @Test func `numbers grow, also if the clock does not`() {
        var log = PurgeLog()
        #expect([100, 100, 50, 200].map { log.add("sa", now: $0) } == [100, 101, 102, 200])
        #expect(log.number == 200 && log.revision(of: "a") == 200)
    }

    @Test func `logs merge in any order, and keep the last purge of each target`() {
        var (one, two) = (PurgeLog(), PurgeLog())
        for (target, now) in [("sa", 10), ("pb", 20), ("sa", 50)] { one.add(target, now: now) }
        for (target, now) in [("sa", 30), ("rx", 40), ("a", 45), ("sc", 60)] { two.add(target, now: now) }
        var (left, right) = (one, two)
        left.merge(two)
        right.merge(one)
        #expect(left == right && left.number == 60)
        #expect(left.revision(of: "a") == 50 && left.revision(of: "b", result: "x") == 45)
        #expect(left.revision(of: "c") == 60)
    }

    @Test func `a purge that a store has lost gets a new number`() {
        var (own, stored) = (PurgeLog(), PurgeLog())
        own.add("sa", now: 10)
        own.add("sb", now: 11)
        stored.add("sb", now: 12)
        var log = stored
        log.restore(own, now: 5)
        #expect(log.revision(of: "a") == 13 && log.revision(of: "b") == 12)
        let restored = log
        log.restore(own, now: 5)
        #expect(log == restored)
    }

    @Test(arguments: ["s", "p"])
    func `too many targets become a purge of everything`(_ kind: String) {
        var log = PurgeLog()
        let limit = kind == "p" ? PurgeLog.maximumPrefixes : PurgeLog.maximumTargets
        for number in 1...limit { log.add("\(kind)x\(number)", now: 0) }
        #expect(log.revision(of: "other") == 0 && log.revision(of: "x1") > 0)
        let last = log.add("\(kind)y", now: 0)
        #expect(log.revision(of: "other") == last && log.text == "\(last)\n\(last) a")
    }

    @Test func `the text of a log has all of it, and other texts are no logs`() {
        var log = PurgeLog()
        for target in ["shttps://a.org/1 2.jpg", "plocal:///é", "rabc", "a", "sb"] { log.add(target, now: 1 << 50) }
        #expect(PurgeLog(log.text) == log && PurgeLog("") == PurgeLog())
        for text in ["x", "-1", "1\nx a", "1\n-2 a", "\(1 << 53)", "99999999999999999999", "1\n\(Int.max) a"] {
            #expect(PurgeLog(text) == nil, "\(text)")
        }
    }
}
