import Testing

@testable import FirnReport

/// Tests the progress line at any width and state.
@Suite struct ProgressLineTests {
    private func line(_ done: Int, _ total: Int, failed: Int = 0, bytes: Int = 0, seconds: Int = 10) -> ProgressLine {
        ProgressLine(
            label: "Loading", done: done, total: total, failed: failed, bytes: bytes, elapsed: .seconds(seconds))
    }

    @Test func `A line has progress, speed and remaining time`() {
        #expect(
            line(30, 120, failed: 2, bytes: 12_300_000).text(width: 100, unicode: false)
                == "Loading [#########-----------------------------]  25 %   30/120  2 failed  "
                + "0:30 left  3.0/s  12.3 MB"
        )
        #expect(
            line(1, 2, seconds: 7200).text(width: 60, unicode: true)
                == "Loading ██████████░░░░░░░░░░  50 %  1/2  2:00:00 left  0.0/s")
    }

    @Test func `No line is wider than the terminal, in any state`() {
        for width in 0...130 {
            for (done, total) in [(0, 0), (0, 9), (1, 1000), (500, 1000), (1000, 1000), (1200, 1000)] {
                for unicode in [false, true] {
                    let text = line(done, total, failed: 3, bytes: 1 << 40).text(width: width, unicode: unicode)
                    #expect(text.count <= width)
                }
            }
        }
    }

    @Test func `The bar only grows, in steps of an eighth`() {
        var last = 0.0
        for done in 0...320 {
            let text = line(done, 320).text(width: 90, unicode: true)
            let parts = Array("▏▎▍▌▋▊▉")
            let length = text.reduce(0.0) { sum, character in
                if character == "█" { return sum + 1 }
                return sum + Double(parts.firstIndex(of: character).map { $0 + 1 } ?? 0) / 8
            }
            #expect(length >= last)
            last = length
        }
        #expect(last == 40 || last == last.rounded())
    }

    @Test func `Rate and time left come from what is done`() {
        #expect(line(20, 100).rate == 2)
        #expect(line(20, 100).remaining == .seconds(40))
        #expect(line(0, 100).remaining == nil)
        #expect(line(100, 100).remaining == nil)
    }
}
