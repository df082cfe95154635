import ArgumentParser

/// `firn cache`: looks after a cache folder.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look after a folder that originals are kept in.",
        discussion: """
            EXAMPLES
              firn cache stats ~/.cache/firn
              firn cache verify ~/.cache/firn --remove
              firn cache clear ~/.cache/firn
            """,
        subcommands: [CacheStatsCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}
