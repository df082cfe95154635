import ArgumentParser
import Firn

/// `firn cache clear`: empties a cache.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract:
            "Remove every entry, part of a body and bitmap of the cache, or some. Other files in the folder stay.",
        discussion: """
            EXAMPLE
              firn cache clear ~/.cache/firn
              firn cache clear ~/.cache/firn --host example.org --older-than 7d
            """)

    @OptionGroup var filter: CacheFilter

    @OptionGroup var target: CacheFolder

    func run() throws {
        let removed = try target.use { stores throws(CacheFailure) in
            let now = Duration.sinceEpoch()
            var counts: [Int] = []
            for store in stores.all { counts.append(try store.clear(filter, at: now)) }
            return stores.counted(counts)
        }
        StandardOutput.line("\(target.folder): \(removed) removed")
    }
}
