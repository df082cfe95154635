import FirnData
import Testing

@Suite struct FailureMemoryTests {
    private let gone = DataLoadingError(.status(410), "gone")

    @Test func `A failure is remembered for its time, and no longer (F10)`() {
        var memory = FailureMemory<String>(FailureTimes())
        memory.note(gone, of: "a", now: .seconds(100))
        #expect(memory.failure(of: "a", now: .seconds(100)) == gone)
        #expect(memory.failure(of: "a", now: .seconds(699)) == gone)
        #expect(memory.failure(of: "b", now: .seconds(100)) == nil)
        #expect(memory.failure(of: "a", now: .seconds(700)) == nil)
        #expect(memory.count == 0)
    }

    @Test func `410 is remembered longer than 404, and 404 longer than 503`() {
        let times = FailureTimes()
        func time(_ status: Int, after: Duration? = nil) -> Duration? {
            times.time(for: DataLoadingError(.status(status), "", retryAfter: after))
        }
        #expect(time(410) == .seconds(600))
        #expect(time(404) == .seconds(60))
        #expect(time(403) == .seconds(20))
        #expect(time(503) == .seconds(5))
        #expect(time(503, after: .seconds(30)) == .seconds(30))
        #expect(time(429, after: .seconds(86_400)) == .seconds(60))
        #expect(time(304) == nil)
        #expect(times.time(for: DataLoadingError(.redirect, "")) == .seconds(60))
        for cause in [DataLoadingError.Cause.connection, .timeout, .truncated, .cancelled, .insecure, .other] {
            #expect(times.time(for: DataLoadingError(cause, "")) == nil)
        }
    }

    @Test func `Failures are forgotten by key, or all at once`() {
        var memory = FailureMemory<String>(FailureTimes())
        memory.note(gone, of: "a", now: .zero)
        memory.note(gone, of: "b", now: .zero)
        memory.forget("a")
        #expect(memory.failure(of: "a", now: .zero) == nil)
        #expect(memory.failure(of: "b", now: .zero) == gone)
        memory.removeAll()
        #expect(memory.failure(of: "b", now: .zero) == nil)
    }

    @Test func `The table is bounded, and what failed first leaves first`() {
        var times = FailureTimes()
        times.count = 3
        var memory = FailureMemory<Int>(times)
        for key in 0..<1000 {
            memory.note(gone, of: key, now: .zero)
            if key > 0 { memory.note(gone, of: 0, now: .zero) }
            #expect(memory.count <= 3)
        }
        #expect([0, 997, 998, 999].map { memory.failure(of: $0, now: .zero) != nil } == [true, false, true, true])
    }

    @Test func `Nothing is remembered if that is switched off`() {
        var memory = FailureMemory<Int>(.none)
        memory.note(gone, of: 1, now: .zero)
        #expect(memory.count == 0)
    }
}
