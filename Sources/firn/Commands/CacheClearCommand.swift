import ArgumentParser
import Firn

/// `firn cache clear`: empties a cache.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove every entry of the cache, or some. Other files in the folder stay.",
        discussion: """
            EXAMPLE
              firn cache clear ~/.cache/firn
              firn cache clear ~/.cache/firn --host example.org --older-than 7d
            """)

    @OptionGroup var filter: CacheFilter

    @OptionGroup var target: CacheFolder

    func run() throws {
        let count = try target.use { cache throws(DataCachingError) in
            if !filter.isEmpty {
                let now = Duration.sinceEpoch()
                return try cache.removeAll { filter.matches($0, at: now) }
            }
            let count = try cache.statistics().count
            try cache.removeAll()
            return count
        }
        StandardOutput.line("\(target.folder): \(count) entries removed")
    }
}
