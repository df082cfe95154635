import FirnData
import FirnHTTP
import Testing

@Suite struct `Slow bodies` {
    private let start: Int64 = 1_000_000_000

    private func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    private func meter(limit: Int = 1024, span: Duration = .seconds(30)) -> SpeedMeter {
        var meter = SpeedMeter(limit: limit, span: span)
        meter.start(start)
        return meter
    }

    @Test func `A span starts with the body and after each complete share`() {
        var meter = meter()
        #expect(meter.share == 30_720)
        #expect(meter.deadline == start + seconds(30))
        meter.take(30_719, start + seconds(29))
        #expect(meter.deadline == start + seconds(30), "one byte is missing")
        meter.take(1, start + seconds(29))
        #expect(meter.deadline == start + seconds(59))
    }

    @Test func `A byte every 20 seconds is too slow; 1 KiB per second is not`() {
        var slow = meter()
        slow.take(1, start + seconds(20))
        #expect(slow.deadline == start + seconds(30))
        var steady = meter()
        for second in 1...300 {
            let now = start + seconds(Int64(second))
            if let deadline = steady.deadline { #expect(now <= deadline) }
            steady.take(1024, now)
        }
        #expect(steady.deadline == start + seconds(330))
    }

    @Test func `Time under back-pressure does not count, earlier time does`() {
        var meter = meter()
        meter.take(1000, start + seconds(10))
        meter.stop(start + seconds(20))
        #expect(meter.deadline == nil)
        meter.stop(start + seconds(25))
        meter.start(start + seconds(500))
        #expect(meter.deadline == start + seconds(510), "20 of the 30 seconds had passed")
        meter.take(29_720, start + seconds(505))
        #expect(meter.deadline == start + seconds(535), "the share is complete")
    }

    @Test func `Bytes that arrive while no time counts belong to the share`() {
        var meter = meter()
        meter.stop(start)
        meter.take(40_000, start + seconds(5))
        #expect(meter.deadline == nil)
        meter.start(start + seconds(9))
        #expect(meter.deadline == start + seconds(39))
    }

    @Test func `Without a limit nothing is too slow`() {
        #expect(meter(limit: 0).deadline == nil)
        #expect(meter(limit: -5).deadline == nil)
        #expect(meter(limit: .max, span: .seconds(3_600_000_000)).share > 1_000_000_000)
        #expect(meter(limit: 1000, span: .milliseconds(300)).share == 300)
    }
}
