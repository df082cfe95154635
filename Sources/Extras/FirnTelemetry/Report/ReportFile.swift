import FirnData
import FirnPipeline
public import FoundationEssentials

/// A timeline as one self-contained page: sources of images, the stages of the slowest requests, durations of the
/// stages, and wasted bytes. The page has no script, needs no network, and supports light and dark mode.
public struct ReportFile: Sendable {
    private let timeline: Timeline
    private let title: String
    /// Requests whose stages are shown.
    private let shownRequests: Int

    /// Creates the report of a timeline.
    ///
    /// - Parameters:
    ///   - timeline: the recorded activity.
    ///   - title: the page's heading. Default: `Firn`.
    ///   - shownRequests: number of slowest requests whose stages are shown. Default: 40.
    ///   - showsQueries: whether addresses are written unchanged. Default: no; user names, passwords and secrets in
    ///     queries are removed.
    public init(
        _ timeline: Timeline, title: String = "Firn", shownRequests: Int = 40, showsQueries: Bool = false
    ) {
        self.timeline = timeline.redacted(by: AddressRedaction(showsQueries: showsQueries))
        self.title = title
        self.shownRequests = max(0, shownRequests)
    }

    /// Returns the file's content.
    public func data() -> Data { Data(page.text.utf8) }

    private var page: Markup {
        let tally = ReportTally(timeline)
        let waterfall = WaterfallChart(timeline, count: shownRequests)
        let histograms = PipelineEvent.Stage.allCases.compactMap { StageHistogram(timeline, stage: $0)?.chart }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style>\(ReportStyle.sheet)</style>
            </head>
            <body>
            <h1>\(title)</h1>
            <section class="tiles" id="tally">\(tally.tiles)</section>
            <section id="sources"><h2>Where images came from</h2>\(tally.sources)</section>
            <section id="waterfall"><h2>The \(waterfall.count) slowest requests</h2>
            \(WaterfallChart.legend)
            \(waterfall.chart)
            </section>
            <section id="stages"><h2>How long the stages take</h2>\
            <div class="charts">\(Markup(joining: histograms))</div></section>
            \(tally.failures)
            </body>
            </html>

            """
    }
}
