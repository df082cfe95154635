import FirnData
import FirnHTTP
import FoundationEssentials
import Testing

/// Tests responses behind redirects: each redirect is a response with rules of its own (RFC 9111 §4 and §4.3).
@Suite struct RedirectRulesTests {
    private let policy = HTTPCachePolicy.images
    private let onError = CachedUse.revalidate(mayServeOnError: true)
    private let never = CachedUse.revalidate(mayServeOnError: false)
    private let image: HTTPHeaderFields = [
        "Cache-Control": "max-age=31536000, immutable", "ETag": "\"i\"", "Date": Caching.date,
    ]

    private func redirect(_ headers: HTTPHeaderFields, status: Int = 302) -> DataRedirect {
        DataRedirect(url: Caching.url, status: status, headers: headers)
    }

    private func stored(_ redirects: DataRedirect..., to request: DataRequest = Caching.get()) -> StoredResponse {
        var response = DataResponse(url: "http://b.example/i", status: 200, headers: image)
        response.redirects = redirects
        let now = Caching.start * Caching.second
        return policy.remembered(response, to: request, ResponseTimes(requested: now, responded: now))
    }

    private func use(_ stored: StoredResponse, after seconds: Int64, for request: DataRequest = Caching.get())
        -> CachedUse
    {
        policy.use(of: stored, for: request, at: (Caching.start + seconds) * Caching.second)
    }

    @Test func `A chain is as fresh as the least fresh of its parts`() {
        let minute = redirect(["Cache-Control": "max-age=60"])
        let hour = redirect(["Cache-Control": "max-age=3600"], status: 301)
        #expect(use(stored(hour), after: 3599) == .serve)
        #expect(use(stored(hour), after: 3600) == onError)
        #expect(use(stored(hour, minute), after: 59) == .serve)
        #expect(use(stored(hour, minute), after: 60) == onError)
        #expect(policy.staleTime(stored(hour, minute)) == (Caching.start + 60) * Caching.second)
        #expect(policy.statedStaleTime(stored(hour, minute)) == (Caching.start + 60) * Caching.second)
        #expect(policy.statedStaleTime(stored(redirect([:]))) == (Caching.start + 31_536_000) * Caching.second)
        let forgetful = stored(redirect(["Cache-Control": "no-store"]))
        #expect(policy.statedStaleTime(forgetful) == Caching.start * Caching.second)
        // An estimate is not stated.
        var silent = stored()
        silent.headers = ["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"]
        #expect(policy.statedStaleTime(silent) == nil && policy.lifetime(silent) > 0)
        #expect(use(stored(), after: 86_400) == .serve)
    }

    @Test(arguments: [302, 303, 307])
    func `A temporary redirect that says nothing is asked each time`(status: Int) {
        #expect(use(stored(redirect([:], status: status)), after: 0) == onError)
    }

    @Test(arguments: [301, 308])
    func `A permanent redirect that says nothing is believed as long as any such response`(status: Int) {
        let permanent = redirect(["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"], status: status)
        #expect(use(stored(permanent), after: 86_399) == .serve)
        #expect(use(stored(permanent), after: 86_400) == onError)
        #expect(use(stored(redirect([:], status: status)), after: 299) == .serve)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=3600, no-store"])
    func `A redirect that may not be reused keeps the chain from serving, even if the source fails`(control: String) {
        #expect(use(stored(redirect(["Cache-Control": control])), after: 0) == never)
    }

    @Test func `A stored redirect keeps the header fields that define its freshness`() throws {
        let plain = redirect([
            "Cache-Control": "max-age=60", "Location": "/secret", "Set-Cookie": "a=b", "Date": Caching.date, "Age": "1",
        ])
        let first = try #require(stored(plain).redirects.first)
        #expect(first.headers.fields.map(\.name) == ["Cache-Control", "Date", "Age"] && first.status == 302)
        let forgetful = redirect(["Cache-Control": "no-store", "Date": Caching.date, "Expires": "0"])
        #expect(stored(forgetful).redirects.first?.headers.fields.map(\.name) == ["Cache-Control"])
    }

    @Test func `A redirect that depends on a field serves only requests that send the same`() {
        let varying = redirect(["Cache-Control": "max-age=3600", "Vary": "Accept"])
        let kept = stored(varying, to: Caching.get(["Accept": "image/webp"]))
        #expect(use(kept, after: 1, for: Caching.get(["Accept": "image/webp"])) == .serve)
        #expect(use(kept, after: 1, for: Caching.get(["Accept": "image/png"])) == .unusable)
        #expect(!policy.mayStore(stored(redirect(["Vary": "*"])), to: Caching.get()))
    }

    @Test func `A chain comes back from an entry's metadata, and a damaged one makes the entry useless`() throws {
        let kept = stored(
            redirect(["Cache-Control": "max-age=60", "cache-control": "private", "Vary": "Accept"]),
            redirect(["Expires": "0"], status: 308), to: Caching.get(["Accept": "a"]))
        var metadata = kept.metadata
        let entry = DataCacheEntry(data: .init(), headers: kept.headers, metadata: metadata)
        let back = try #require(StoredResponse(entry))
        try #require(back.redirects.map(\.status) == [302, 308])
        #expect(back.redirects.map(\.url) == [Caching.url, Caching.url])
        #expect(back.redirects[0].headers["cache-control"] == "max-age=60, private")
        #expect(back.redirects[0].selecting == kept.redirects[0].selecting && back.selecting.isEmpty)
        #expect(back.redirects[1].times.responded == kept.redirects[1].times.responded)
        #expect(use(back, after: 0, for: Caching.get(["Accept": "a"])) == onError)
        metadata["http.redirect.1.status"] = "?"
        #expect(StoredResponse(DataCacheEntry(data: .init(), headers: kept.headers, metadata: metadata)) == nil)
    }

    // MARK: Checks

    @Test func `4_3_1 Validators go to the address that gave them, and to no other`() {
        let now = (Caching.start + 40_000_000) * Caching.second
        let plain = policy.check(stored(), for: Caching.get(), at: now)
        #expect(plain.headers["If-None-Match"] == "\"i\"" && plain.targetConditions == nil)
        let led = policy.check(stored(redirect([:])), for: Caching.get(), at: now)
        #expect(led.headers.isEmpty)
        #expect(
            led.targetConditions == TargetConditions(url: "http://b.example/i", headers: ["If-None-Match": "\"i\""]))
    }

    @Test func `An address that is fresh by itself need not be asked once redirects lead there again`() {
        let now = Caching.start * Caching.second
        let stale = policy.check(stored(redirect([:])), for: Caching.get(), at: now)
        #expect(stale.targetConditions?.isFresh == true)
        let reload = policy.check(
            stored(redirect([:])), for: Caching.get(["Cache-Control": "max-age=0"]), at: now + 2 * Caching.second)
        // `immutable` prevents the check even then.
        #expect(reload.targetConditions?.isFresh == true)
        #expect(policy.check(stored(), for: Caching.get(), at: now).targetConditions == nil)
    }

    @Test func `4_3_4 A confirmation counts only from the address whose validators were sent`() throws {
        let kept = stored(redirect(["Cache-Control": "max-age=60"]))
        func confirmed(_ url: String, _ redirects: [DataRedirect]) -> StoredResponse? {
            var response = DataResponse(url: url, status: 304, headers: ["ETag": "\"i\"", "A": "1"])
            response.redirects = redirects
            return policy.confirmed(kept, by: response, to: Caching.get(), ResponseTimes(requested: 5, responded: 7))
        }
        #expect(confirmed("http://c.example/i", [redirect([:])]) == nil)
        #expect(confirmed(Caching.url, []) == nil)
        let new = try #require(confirmed("http://b.example/i", [redirect([:]), redirect(["Expires": "0"])]))
        #expect(new.headers["A"] == "1" && new.redirects.count == 2 && new.times.responded == 7)
    }

    @Test func `An unrequested 304 keeps the response's age and takes the new redirects`() throws {
        let kept = stored(redirect(["Cache-Control": "max-age=60"]))
        var response = DataResponse(url: "http://b.example/i", status: 304)
        response.isUnasked = true
        response.redirects = [redirect(["Cache-Control": "max-age=10"], status: 307)]
        let new = try #require(
            policy.confirmed(kept, by: response, to: Caching.get(), ResponseTimes(requested: 5, responded: 7)))
        #expect(new.times.responded == kept.times.responded && new.headers == kept.headers)
        #expect(new.redirects.map(\.status) == [307] && new.redirects.map(\.times.responded) == [5])
    }
}
