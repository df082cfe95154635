import ArgumentParser
import Firn
import FirnReport

struct CacheStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract:
            "Print the contents of the cache: sizes, ages, hosts, partial bodies, bitmaps, hits.",
        discussion: """
            EXAMPLE
              firn cache stats ~/.cache/firn --json
            """)

    @OptionGroup var target: CacheFolder

    func run() throws {
        let survey = try target.use { stores in
            CacheSurvey(
                statistics: try stores.entries.statistics(), entries: try stores.entries.entries(),
                parts: try stores.partial.entries(), bitmaps: try stores.bitmaps.statistics(), now: .sinceEpoch())
        }
        let statistics = survey.statistics
        if target.json {
            StandardOutput.line(CacheStatsCommand.object(survey, folder: target.folder).text)
        } else {
            StandardOutput.line(
                "\(target.folder): \(CountText.text(statistics.count, "entry", "entries")), "
                    + "\(ByteText.text(statistics.bytes)) on disk, \(ByteText.text(survey.bodyBytes)) of images")
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
        add("lastUsedSeconds", survey.ages.map { Int($0.used.lowerBound) })
        add("firstUsedSeconds", survey.ages.map { Int($0.used.upperBound) })
        add("medianBytes", survey.sizes?.median)
        add("largestBytes", survey.sizes?.largest)
        let hosts = survey.hosts.map { host -> JSONValue in
            .object([("host", .string(host.name)), ("entries", .int(host.entries)), ("bytes", .int(host.bytes))])
        }
        let (partial, bitmaps) = (survey.partialBodies, survey.bitmaps)
        fields += [
            ("hosts", .array(hosts)),
            (
                "partialBodies",
                .object([
                    ("bodies", .int(partial.bodies)), ("parts", .int(partial.parts)),
                    ("bytes", .int(partial.bytes)),
                ])
            ), ("bitmaps", .object([("images", .int(bitmaps.count)), ("bytes", .int(bitmaps.bytes))])),
        ]
        return .object(fields)
    }
}
