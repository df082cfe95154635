import ArgumentParser

/// `firn cache`: looks after a cache folder.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look after a folder that originals are kept in.",
        discussion: """
            Besides the originals it may hold the first bytes of what still arrives (in its folder 'partial') and decoded
            images (in 'bitmaps-v1'); all of them are counted, proved and removed.

            EXAMPLES
              firn cache stats ~/.cache/firn
              firn cache verify ~/.cache/firn --remove
              firn cache clear ~/.cache/firn
            """,
        subcommands: [CacheStatsCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}
