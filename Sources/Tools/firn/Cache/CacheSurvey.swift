import Firn
import FirnReport

struct CacheSurvey {
    let statistics: CacheStatistics
    let entries: [CacheRecord]
    /// The parts of bodies that are still arriving.
    let parts: [CacheRecord]
    let bitmaps: CacheStatistics
    let now: Duration

    var bodyBytes: Int { entries.reduce(0) { $0 + $1.bodyBytes } }

    /// The median and the largest body; `nil` without entries.
    var sizes: (median: Int, largest: Int)? {
        let sizes = entries.map(\.bodyBytes).sorted()
        return sizes.last.map { (sizes[sizes.count / 2], $0) }
    }

    var partialBodies: (bodies: Int, parts: Int, bytes: Int) {
        // A part's key is its number and the request's key.
        let bodies = Set(parts.map { $0.key.drop { $0 != " " } })
        return (bodies.count, parts.count, parts.reduce(0) { $0 + $1.fileBytes })
    }

    /// The hits and all lookups of all processes.
    var lookups: (hits: UInt64, all: UInt64) {
        (statistics.totals.hits, statistics.totals.hits &+ statistics.totals.misses)
    }

    /// The seconds since the newest and the oldest entry was stored, and since the last and the first was used.
    var ages: (stored: ClosedRange<Int64>, used: ClosedRange<Int64>)? {
        func range(_ times: [Duration]) -> ClosedRange<Int64>? {
            guard let first = times.min(), let last = times.max() else { return nil }
            let newest = max(0, (now - last).components.seconds)
            return newest...max(newest, (now - first).components.seconds)
        }
        guard let stored = range(entries.map(\.created)), let used = range(entries.map(\.used)) else { return nil }
        return (stored, used)
    }

    /// Entries and bytes by host, largest first.
    var hosts: [(name: String, entries: Int, bytes: Int)] {
        Dictionary(grouping: entries) { CacheFilter.host(of: $0.key) ?? "(no host)" }
            .map { (name: $0, entries: $1.count, bytes: $1.reduce(0) { $0 + $1.fileBytes }) }
            .sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }
    }

    /// The lines after the first.
    var lines: [String] {
        var lines: [String] = []
        if let sizes {
            lines.append(
                "  sizes: half below \(ByteText.text(sizes.median)), the largest \(ByteText.text(sizes.largest))")
        }
        if let ages {
            lines.append(
                "  ages: stored \(text(ages.stored.lowerBound)) to \(text(ages.stored.upperBound)) ago, used "
                    + "\(text(ages.used.lowerBound)) to \(text(ages.used.upperBound)) ago")
        }
        if lookups.all > 0 {
            lines.append(
                "  hits: \(lookups.hits) of \(lookups.all) lookups; \(statistics.totals.stores) stored, "
                    + "\(statistics.totals.evictions) evicted")
        }
        for host in hosts.prefix(5) {
            lines.append(
                "  \(host.name): \(CountText.text(host.entries, "entry", "entries")), \(ByteText.text(host.bytes))"
            )
        }
        let partial = partialBodies
        if partial.bodies > 0 {
            let parts = CountText.text(partial.parts, "part", "parts")
            lines.append(
                "  partial bodies: \(partial.bodies) in \(parts), \(ByteText.text(partial.bytes)) on disk")
        }
        if bitmaps.count > 0 {
            lines.append("  bitmaps: \(bitmaps.count), \(ByteText.text(bitmaps.bytes)) on disk")
        }
        return lines
    }

    private func text(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
