import FirnReport
import Testing

/// Tests percentiles and the system's statistics of the process.
@Suite struct ReportMeasuringTests {
    @Test func `Percentiles are measured values, by nearest rank`() {
        let values = [15, 20, 35, 40, 50].shuffled()
        #expect([5, 30, 40, 50, 100].map { values.percentile($0) } == [15, 20, 20, 35, 50])
        #expect(values.percentile(0) == 15)
        #expect(values.percentile(-3) == 15)
        #expect(values.percentile(300) == 50)
        #expect([Int]().percentile(50) == nil)
    }

    @Test func `A percentile is the smallest value with that share of values at or below it`() {
        for count in 1...60 {
            let values = Array(1...count)
            for percent in stride(from: 1.0, through: 100, by: 1) {
                let value = values.percentile(percent) ?? 0
                #expect(Double(value) >= percent / 100 * Double(count) - 1e-9)
                #expect(Double(value - 1) < percent / 100 * Double(count))
            }
        }
    }

    @Test func `The peak of memory covers what was touched`() {
        let before = ProcessorTime.now
        let block = [UInt8](repeating: 1, count: 64 << 20)
        #expect(block.last == 1)
        #expect(PeakMemory.sinceReset >= 64 << 20)
        #expect(ProcessorTime.now > before)
    }
}
