import ArgumentParser
import Firn
import FirnReport

/// `firn cache clear`: removes entries of a cache.
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

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var target: CacheFolder

    func run() throws {
        let removed = try target.use { stores throws(CacheFailure) in
            let now = Duration.sinceEpoch()
            var counts: [Int] = []
            for store in stores.all { counts.append(try store.clear(filter, at: now)) }
            return (text: stores.counted(counts), json: CacheFolder.Stores.json(counts))
        }
        if json {
            let fields = [("folder", JSONValue.string(target.folder)), ("removed", .object(removed.json))]
            StandardOutput.line(JSONValue.object(fields).text)
        } else {
            StandardOutput.line("\(target.folder): \(removed.text) removed")
        }
    }
}
