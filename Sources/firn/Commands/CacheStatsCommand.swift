import ArgumentParser
import Firn
import FirnReport

/// `firn cache stats`: what a cache holds.
struct CacheStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what the cache holds: sizes, ages, hosts, and how often it was of use.",
        discussion: """
            EXAMPLE
              firn cache stats ~/.cache/firn --json
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let survey = try target.use { cache throws(DataCachingError) in
            CacheSurvey(statistics: try cache.statistics(), entries: try cache.entries(), now: .sinceEpoch())
        }
        let statistics = survey.statistics
        if json {
            StandardOutput.line(CacheStatsCommand.object(survey, folder: target.folder).text)
        } else {
            StandardOutput.line(
                "\(target.folder): \(statistics.count) entries, \(ByteText.text(statistics.bytes)) on disk, "
                    + "\(ByteText.text(survey.bodyBytes)) of pictures")
            for line in survey.lines { StandardOutput.line(line) }
        }
    }

    private static func object(_ survey: CacheSurvey, folder: String) -> JSONValue {
        let (statistics, totals) = (survey.statistics, survey.statistics.totals)
        var fields: [(String, JSONValue)] = [("folder", .string(folder))]
        func add(_ name: String, _ number: Int?) { fields.append((name, number.map { JSONValue.int($0) } ?? .null)) }
        add("entries", statistics.count)
        add("bytes", statistics.bytes)
        add("bodyBytes", survey.bodyBytes)
        add("hits", Int(clamping: totals.hits))
        add("misses", Int(clamping: totals.misses))
        add("stores", Int(clamping: totals.stores))
        add("evictions", Int(clamping: totals.evictions))
        add("newestSeconds", survey.ages.map { Int($0.stored.lowerBound) })
        add("oldestSeconds", survey.ages.map { Int($0.stored.upperBound) })
        let hosts = survey.hosts.map { host -> JSONValue in
            .object([("host", .string(host.name)), ("entries", .int(host.entries)), ("bytes", .int(host.bytes))])
        }
        fields.append(("hosts", .array(hosts)))
        return .object(fields)
    }
}
