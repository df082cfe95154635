import FirnData
import FirnHTTP
import Testing

/// Tests the freshness lifetime and the age of responses (RFC 9111 §4.2).
@Suite struct FreshnessRulesTests {
    @Test func `4_2_1 max-age goes before Expires, and s-maxage before it in a shared cache alone`() {
        let headers: HTTPHeaderFields = [
            "Cache-Control": "max-age=100, s-maxage=7", "Expires": "Sat, 21 Nov 2026 01:00:00 GMT",
        ]
        #expect(Caching.lifetime(headers) == 100)
        #expect(Caching.lifetime(headers, Caching.shared()) == 7)
        #expect(Caching.lifetime(["Expires": "Sat, 21 Nov 2026 01:00:00 GMT"]) == 3600)
    }

    @Test(
        arguments: [
            ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60),
            ("x=\"max-age=9\", max-age=60", 60),
            ("max-age=60, max-age=9", 60), ("max-age=99999999999999999999", 1 << 31), ("x , , max-age=60,", 60),
        ] as [(String, Int64)])
    func `5_2_2_1 max-age is read in any form that the grammar has`(text: String, seconds: Int64) {
        #expect(Caching.lifetime(["Cache-Control": text]) == seconds)
    }

    @Test(arguments: [
        "max-age=a60", "max-age=60a", "max-age=-60", "max-age=60.0", "max-age='60'", "max-age =60", "max-age= 60",
        "max-age",
        "max-age=", "max-age=\"60", "max-age=6\"0\"",
    ])
    func `4_2_1 Freshness that is invalid makes stale, whatever else is said`(text: String) {
        let headers: HTTPHeaderFields = [
            "Cache-Control": text, "Expires": "Sat, 21 Nov 2036 00:00:00 GMT",
            "Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT",
        ]
        #expect(Caching.lifetime(headers) == 0)
    }

    @Test(arguments: [
        "Sat, 21 Nov 2026 00:01:00 GMT", "SAT, 21 nov 2026 00:01:00 gmt", "Saturday, 21-Nov-26 00:01:00 GMT",
        "Sat Nov 21 00:01:00 2026",
    ])
    func `5_3 Expires is read in all three forms of a date`(text: String) {
        #expect(Caching.lifetime(["Expires": text]) == 60)
    }

    @Test(arguments: [
        "0", "", "-1", "Sat, 21 Nov 2026 00:01:00 UTC", "Sat, 21 Nov 26 00:01:00 GMT", "Sat 21 Nov 2026 00:01:00 GMT",
        "Sat, 21  Nov  2026 00:01:00 GMT", "Sat, 21-Nov-2026 00:01:00 GMT", "Sat, 21 Nov 2026 0:01:00 GMT",
        "Sat, 21 Nov 2026 00.01.00 GMT", "Sat, 21 Nov 2026 24:01:00 GMT", "Nov 21 2026",
    ])
    func `5_3 Any other Expires is in the past`(text: String) {
        #expect(Caching.lifetime(["Expires": text, "Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"]) == 0)
    }

    @Test func `4_2_1 Two dates of expiry that differ make stale, two that are the same count once`() {
        let one = "Sat, 21 Nov 2026 00:01:00 GMT"
        #expect(Caching.lifetime(["Expires": one, "expires": one]) == 60)
        #expect(Caching.lifetime(["Expires": one, "expires": "Sat, 21 Nov 2026 00:02:00 GMT"]) == 0)
    }

    @Test func `5_3 Expires counts from Date, and from the moment of the response where that is missing or wrong`() {
        let expires = "Sat, 21 Nov 2026 00:01:00 GMT"
        #expect(Caching.lifetime(["Expires": expires, "Date": "Sat, 21 Nov 2026 00:00:50 GMT"]) == 10)
        #expect(Caching.lifetime(["Expires": expires, "Date": "soon"]) == 60)
        #expect(Caching.lifetime(["Expires": expires, "Date": "Sat, 21 Nov 2026 00:02:00 GMT"]) == 0)
    }

    @Test func `4_2_2 A response that says nothing is fresh for a tenth of the time since it changed, a day at most`() {
        #expect(Caching.lifetime(["Last-Modified": "Fri, 20 Nov 2026 23:58:20 GMT"]) == 10)
        #expect(Caching.lifetime(["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"]) == 86_400)
        #expect(Caching.lifetime(["Last-Modified": "Sat, 21 Nov 2027 00:00:00 GMT"]) == 0)
        #expect(Caching.lifetime([:]) == 0)
        #expect(Caching.lifetime([:], HTTPCachePolicy.images) == 300)
    }

    @Test(arguments: [
        (200, true), (203, true), (404, true), (410, true), (201, false), (302, false), (500, false), (599, false),
    ])
    func `4_2_2 Only statuses that say so are guessed at, or responses marked public`(status: Int, isGuessed: Bool) {
        let changed: HTTPHeaderFields = ["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"]
        #expect((Caching.lifetime(changed, status: status) > 0) == isGuessed)
        var marked = changed
        marked.append("Cache-Control", "public")
        #expect(Caching.lifetime(marked, status: status) == 86_400)
    }

    @Test(
        arguments: [
            ("30", 30), ("30, 7", 30), ("7, 30", 7), ("abc", 0), ("-30", 0), ("30.0", 0), ("30;a=b", 0), ("", 0),
            ("99999999999", 1 << 31),
        ] as [(String, Int64)])
    func `5_1 The first Age counts, and only if it is a number`(text: String, seconds: Int64) {
        #expect(HTTPCachePolicy().initialAge(Caching.response(["Age": text])) == seconds * Caching.second)
    }

    @Test func `4_2_3 The age is the larger of what Date and Age say, with the time on the way and the time kept`() {
        let policy = HTTPCachePolicy()
        let late = Caching.response(["Date": "Fri, 20 Nov 2026 23:59:00 GMT", "Age": "10"], delay: 5)
        #expect(policy.initialAge(late) == 60 * Caching.second)
        let told = Caching.response(["Age": "100"], delay: 5)
        #expect(policy.initialAge(told) == 105 * Caching.second)
        #expect(policy.age(told, at: (Caching.start + 7) * Caching.second) == 112 * Caching.second)
        // A clock that was set back lowers no age.
        #expect(policy.age(told, at: (Caching.start - 1000) * Caching.second) == 105 * Caching.second)
        // A date in the future gives no negative age.
        #expect(policy.initialAge(Caching.response(["Date": "Sat, 21 Nov 2027 00:00:00 GMT"])) == 0)
    }

    @Test func `A clock of whole seconds makes nothing older`() {
        var response = Caching.response(["Cache-Control": "max-age=1"])
        response.times.responded += 900_000_000
        response.times.requested += 900_000_000
        #expect(HTTPCachePolicy().staleTime(response) == response.times.responded + Caching.second)
    }
}
