import FirnData
import Testing

@Suite struct RetryPolicyTests {
    private let policy = DataRetryPolicy()

    private func delay(
        _ cause: DataLoadingError.Cause, retry: Int = 0, method: String = "GET", random: Double = 0,
        retryAfter: Duration? = nil
    ) -> Duration? {
        let error = DataLoadingError(cause, "", retryAfter: retryAfter)
        return policy.delay(beforeRetry: retry, after: error, method: method, random: random)
    }

    @Test(arguments: [
        DataLoadingError.Cause.connection, .truncated, .timeout, .status(408), .status(429), .status(502), .status(503),
        .status(504),
    ])
    func `Transient errors are retried`(cause: DataLoadingError.Cause) {
        #expect(delay(cause) == .milliseconds(500))
    }

    @Test(arguments: [
        DataLoadingError.Cause.badAddress, .unreadable, .insecure, .forbidden, .redirect, .tooLarge(limit: 1), .refused,
        .cancelled, .other, .status(404), .status(410), .status(500), .status(501),
    ])
    func `Permanent errors are not retried`(cause: DataLoadingError.Cause) {
        #expect(delay(cause) == nil)
    }

    @Test func `Only requests that do no harm when sent twice are sent twice`() {
        for method in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"] {
            #expect(delay(.timeout, method: method) != nil)
        }
        for method in ["POST", "PATCH", "get", "FETCH"] { #expect(delay(.timeout, method: method) == nil) }
    }

    @Test func `Delays double, up to the longest, and tries come to an end`() {
        var policy = DataRetryPolicy()
        policy.limit = 100
        let error = DataLoadingError(.timeout, "")
        let delays = [0, 1, 2, 5, 6, 7, 40, 99].map {
            policy.delay(beforeRetry: $0, after: error, method: "GET", random: 0)
        }
        #expect(delays == [500, 1000, 2000, 16_000, 30_000, 30_000, 30_000, 30_000].map { .milliseconds($0) })
        #expect(policy.delay(beforeRetry: 100, after: error, method: "GET", random: 0) == nil)
        #expect(policy.delay(beforeRetry: -1, after: error, method: "GET", random: 0) == nil)
    }

    @Test func `Chance takes off up to half`() {
        #expect(delay(.timeout, random: 1) == .milliseconds(250))
        #expect(delay(.timeout, random: 0.5) == .milliseconds(375))
        #expect(delay(.timeout, random: 17) == .milliseconds(250))
        #expect(delay(.timeout, random: -3) == .milliseconds(500))
    }

    @Test func `Retry-After is honored up to a limit`() {
        #expect(delay(.status(503), random: 1, retryAfter: .seconds(7)) == .seconds(7))
        #expect(delay(.status(503), retryAfter: .zero) == .zero)
        #expect(delay(.status(503), retryAfter: .seconds(61)) == nil)
    }

    @Test func `Retries can be turned off for all failures or for some kinds`() {
        let error = DataLoadingError(.timeout, "")
        #expect(DataRetryPolicy.none.delay(beforeRetry: 0, after: error, method: "GET", random: 0) == nil)
        var policy = DataRetryPolicy()
        policy.failures = [.status]
        #expect(policy.delay(beforeRetry: 0, after: error, method: "GET", random: 0) == nil)
    }
}

@Suite struct RetryAfterTests {
    private func delay(_ fields: HTTPHeaderFields, now: Int64 = 784_111_700) -> Duration? {
        RetryAfter.delay(fields, now: now)
    }

    @Test func `Seconds are read, and malformed values are not`() {
        #expect(delay(["Retry-After": "120"]) == .seconds(120))
        #expect(delay(["retry-after": "0"]) == .zero)
        #expect(delay(["Retry-After": "99999999999999999999999"]) == .seconds(31_536_000))
        for text in ["", "-1", "1.5", "soon", "+3", " 3"] { #expect(delay(["Retry-After": text]) == nil) }
        #expect(delay([:]) == nil)
    }

    @Test func `A date counts from the server's own clock, or from ours if it has none`() {
        let later = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(delay(["Retry-After": later, "Date": "Sun, 06 Nov 1994 08:49:07 GMT"]) == .seconds(30))
        #expect(delay(["Retry-After": later]) == .seconds(77))
        #expect(delay(["Retry-After": later], now: 999_999_999) == .zero)
    }

    @Test func `A source that stalls is given up within two minutes`() {
        let error = DataLoadingError(.timeout, "")
        func delay(_ stalled: Duration) -> Duration? {
            DataRetryPolicy().delay(beforeRetry: 0, after: error, method: "GET", random: 0, stalled: stalled)
        }
        #expect(delay(.seconds(30)) != nil && delay(.seconds(45)) != nil)
        #expect(delay(.seconds(46)) == nil)
        let lost = DataLoadingError(.connection, "")
        #expect(
            DataRetryPolicy().delay(beforeRetry: 0, after: lost, method: "GET", random: 0, stalled: .seconds(99)) != nil
        )
        var metrics = TransferMetrics()
        metrics.total = .seconds(40)
        metrics.bytesReceived = 40 * 1024 - 1
        #expect(metrics.stalled == .seconds(40))
        metrics.bytesReceived += 1
        #expect(metrics.stalled == .zero, "it brought 1 KiB a second before it stopped")
    }

    @Test func `A final error is not retried`() {
        let error = DataLoadingError(.timeout, "", isFinal: true)
        #expect(DataRetryPolicy().delay(beforeRetry: 0, after: error, method: "GET", random: 0) == nil)
    }
}
