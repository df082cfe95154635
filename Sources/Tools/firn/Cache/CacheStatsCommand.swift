struct CacheStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the sizes, ages, hosts and hits of the cache.",
        discussion: """
            EXAMPLE
              firn cache stats --json
            """,
        aliases: ["info"])

    @OptionGroup var target: CacheFolder

    func run() throws {
        let survey = try target.use { stores in
            CacheSurvey(
                statistics: try stores.entries.statistics(), entries: try stores.entries.entries(),
                parts: try stores.partial.entries(), bitmaps: try stores.bitmaps.statistics(), now: .sinceEpoch())
        }
        if target.json { return StandardOutput.line(survey.json(target.folder).text) }
        for line in survey.lines(target.folder) { StandardOutput.line(line) }
    }
}

private struct CacheSurvey {
    let statistics: CacheStatistics
    let entries: [CacheRecord]
    /// The stored parts of incomplete bodies.
    let parts: [CacheRecord]
    let bitmaps: CacheStatistics
    let now: Duration

    private var bodyBytes: Int { entries.reduce(0) { $0 + $1.bodyBytes } }
    private var sizes: [Int] { entries.map(\.bodyBytes).sorted() }

    /// The key of a part is its number and the key of the request.
    private var partialBodies: Int { Set(parts.map { $0.key.drop { $0 != " " } }).count }
    private var partialBytes: Int { parts.reduce(0) { $0 + $1.fileBytes } }

    /// The seconds since the newest and the oldest entry was stored or used; `nil` without entries.
    private func ages(_ time: (CacheRecord) -> Duration) -> ClosedRange<Int>? {
        let ages = entries.map { max(0, Int((now - time($0)).components.seconds)) }
        guard let newest = ages.min(), let oldest = ages.max() else { return nil }
        return newest...oldest
    }

    /// Entries and bytes by host, largest first.
    private var hosts: [(name: String, entries: Int, bytes: Int)] {
        Dictionary(grouping: entries) { CacheFilter.host(of: $0.key) ?? "(no host)" }
            .map { (name: $0, entries: $1.count, bytes: $1.reduce(0) { $0 + $1.fileBytes }) }
            .sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }
    }

    func json(_ folder: String) -> JSONValue {
        let (sizes, totals) = (sizes, statistics.totals)
        let (stored, used) = (ages(\.created), ages(\.used))
        let hosts = hosts.map { ["host": $0.name, "entries": $0.entries, "bytes": $0.bytes] as JSONValue }
        let partial: JSONValue = ["bodies": partialBodies, "parts": parts.count, "bytes": partialBytes]
        let bitmaps: JSONValue = ["images": bitmaps.count, "bytes": bitmaps.bytes]
        let median = sizes.isEmpty ? nil : sizes[sizes.count / 2]
        return [
            "folder": folder, "entries": statistics.count, "bytes": statistics.bytes, "bodyBytes": bodyBytes,
            "hits": Int(clamping: totals.hits), "misses": Int(clamping: totals.misses),
            "stores": Int(clamping: totals.stores), "evictions": Int(clamping: totals.evictions),
            "newestSeconds": JSONValue(stored?.lowerBound), "oldestSeconds": JSONValue(stored?.upperBound),
            "lastUsedSeconds": JSONValue(used?.lowerBound), "firstUsedSeconds": JSONValue(used?.upperBound),
            "medianBytes": JSONValue(median), "largestBytes": JSONValue(sizes.last), "hosts": hosts,
            "partialBodies": partial, "bitmaps": bitmaps,
        ]
    }

    func lines(_ folder: String) -> [String] {
        let (sizes, totals) = (sizes, statistics.totals)
        var lines = [
            "\(folder): \(CountText.text(statistics.count, "entry", "entries")), "
                + "\(ByteText.text(statistics.bytes)) on disk, \(ByteText.text(bodyBytes)) of images"
        ]
        if let largest = sizes.last {
            let median = ByteText.text(sizes[sizes.count / 2])
            lines.append("  sizes: half below \(median), the largest \(ByteText.text(largest))")
        }
        if let stored = ages(\.created), let used = ages(\.used) {
            lines.append("  ages: stored \(text(stored)) ago, used \(text(used)) ago")
        }
        let lookups = totals.hits &+ totals.misses
        if lookups > 0 {
            lines.append(
                "  hits: \(totals.hits) of \(lookups) lookups; \(totals.stores) stored, \(totals.evictions) evicted")
        }
        lines += hosts.prefix(5).map {
            "  \($0.name): \(CountText.text($0.entries, "entry", "entries")), \(ByteText.text($0.bytes))"
        }
        if !parts.isEmpty {
            let count = CountText.text(parts.count, "part", "parts")
            lines.append("  partial bodies: \(partialBodies) in \(count), \(ByteText.text(partialBytes)) on disk")
        }
        if bitmaps.count > 0 {
            lines.append("  bitmaps: \(bitmaps.count), \(ByteText.text(bitmaps.bytes)) on disk")
        }
        return lines
    }

    private func text(_ ages: ClosedRange<Int>) -> String {
        func text(_ seconds: Int) -> String {
            switch seconds {
            case ..<120: "\(seconds) s"
            case ..<7_200: "\(seconds / 60) min"
            case ..<172_800: "\(seconds / 3_600) h"
            default: "\(seconds / 86_400) d"
            }
        }
        return "\(text(ages.lowerBound)) to \(text(ages.upperBound))"
    }
}
