import FirnPipeline
import FoundationEssentials
import Testing

@testable import FirnTelemetry

@Suite(.timeLimit(.minutes(5))) struct `A report` {
    @Test func `Shows what was loaded, what failed and how long it took`() async throws {
        let data = ReportFile(Timeline(try await MadeUpEvents.record()), title: "A & B").data()
        let page = String(decoding: data, as: UTF8.self)
        #expect(page.contains("<title>A &amp; B</title>") && page.contains("memory 1") && page.contains("failed 1"))
        #expect(page.contains("The 3 slowest requests") && page.contains("<b>transfer</b>"))
        #expect(page.contains("app://example.org/&lt;none&gt;") && !page.contains("<none>"))
        #expect(!page.contains("http-equiv") && !page.contains("<script") && !page.contains("src="))
    }

    @Test func `Of nothing says so without failing`() {
        let page = String(decoding: ReportFile(Timeline([])).data(), as: UTF8.self)
        #expect(page.contains("The 0 slowest requests"))
    }

    @Test func `Escapes what comes from outside`() {
        let evil = "<b a='x'>&\"\u{1}"
        let markup: Markup = "<i>\(evil)</i>"
        #expect(markup.text == "<i>&lt;b a=&#39;x&#39;&gt;&amp;&quot;�</i>")
    }

    @Test(arguments: [
        (900 as Int64, "0.9 µs"), (1_500_000, "1.5 ms"), (250_000_000, "250 ms"), (12_340_000_000, "12.3 s"),
    ])
    func `Times have three digits`(_ nanoseconds: Int64, _ text: String) {
        #expect(ReportAmount.time(.nanoseconds(nanoseconds)) == text)
    }

    @Test func `A column holds times below its power of two`() {
        #expect(
            StageHistogram.power(.zero) == 0 && StageHistogram.power(.microseconds(1)) == 1
                && StageHistogram.power(.nanoseconds(3_999)) == 2)
        #expect(StageHistogram.power(.microseconds(4)) == 3 && StageHistogram.power(.seconds(Int64.max)) > 50)
    }
}
