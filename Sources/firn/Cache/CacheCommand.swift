import ArgumentParser

/// `firn cache`: inspects and cleans a cache folder.
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
