import ArgumentParser
import Firn
import FirnReport

struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract:
            "Remove all or some entries, partial bodies and bitmaps of the cache. Other files stay.",
        discussion: """
            EXAMPLE
              firn cache clear ~/.cache/firn
              firn cache clear ~/.cache/firn --host example.org --older-than 7d
            """)

    @OptionGroup var filter: CacheFilter

    @OptionGroup var target: CacheFolder

    func run() throws {
        let removed = try target.use { stores in
            let now = Duration.sinceEpoch()
            return try stores.all.map { try $0.clear(filter, at: now) }
        }
        if target.json {
            let counts = JSONValue.object(CacheStores.json(removed))
            let fields = [("folder", JSONValue.string(target.folder)), ("removed", counts)]
            StandardOutput.line(JSONValue.object(fields).text)
        } else {
            StandardOutput.line("\(target.folder): \(CacheStores.text(removed)) removed")
        }
    }
}

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect, verify and clear a cache folder.",
        discussion: """
            The folder holds originals, partial bodies of interrupted transfers (in 'partial') and decoded
            images (in 'bitmaps-v1'). The commands include all of them.

            EXAMPLES
              firn cache stats ~/.cache/firn
              firn cache verify ~/.cache/firn --remove
              firn cache clear ~/.cache/firn
            """,
        subcommands: [CacheStatsCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}
