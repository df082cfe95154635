import ArgumentParser
import Firn

/// `firn cache clear`: empties a cache.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove every entry of the cache. Other files in the folder stay.",
        discussion: """
            EXAMPLE
              firn cache clear ~/.cache/firn
            """)

    @OptionGroup var target: CacheFolder

    func run() throws {
        let count = try target.use { cache throws(DataCachingError) in
            let count = try cache.statistics().count
            try cache.removeAll()
            return count
        }
        StandardOutput.line("\(target.folder): \(count) entries removed")
    }
}
