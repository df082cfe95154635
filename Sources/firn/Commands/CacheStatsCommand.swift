import ArgumentParser
import Firn
import FirnReport

/// `firn cache stats`: what a cache holds.
struct CacheStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what the cache holds.",
        discussion: """
            EXAMPLE
              firn cache stats ~/.cache/firn --json
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let (statistics, entries) = try target.use { cache throws(DataCachingError) in
            (try cache.statistics(), try cache.entries())
        }
        let body = entries.reduce(0) { $0 + $1.bodyBytes }
        if json {
            let object = JSONValue.object([
                ("folder", .string(target.folder)),
                ("entries", .int(statistics.count)),
                ("bytes", .int(statistics.bytes)),
                ("bodyBytes", .int(body)),
            ])
            StandardOutput.line(object.text)
        } else {
            StandardOutput.line(
                "\(target.folder): \(statistics.count) entries, \(ByteText.text(statistics.bytes)) on disk, "
                    + "\(ByteText.text(body)) of pictures")
        }
    }
}
