struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all or some files of the cache.",
        discussion: """
            Removes entries, partial bodies and bitmaps. Other files in the folder stay.

            EXAMPLES
              firn cache clear
              firn cache clear --host example.org --older-than 7d
            """)

    @OptionGroup var filter: CacheFilter

    @OptionGroup var target: CacheFolder

    func run() throws {
        let removed = try target.use { stores in
            let now = Duration.sinceEpoch()
            return try stores.all.map { store in
                guard filter.isEmpty else { return try store.removeAll { filter.selects($0, at: now) } }
                // Entries that cannot be counted can still be removed.
                let count = (try? store.statistics().count) ?? 0
                try store.removeAll()
                return count
            }
        }
        if target.json {
            let report: JSONValue = ["folder": target.folder, "removed": JSONValue.object(CacheStores.json(removed))]
            StandardOutput.line(report.text)
        } else {
            StandardOutput.line("\(target.folder): \(CacheStores.text(removed)) removed")
        }
    }
}

/// Selects files of a cache.
struct CacheFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only entries of this host.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only entries older than this: 90s, 30m, 12h, 7d.", valueName: "time"))
    var olderThan: AgeArgument?

    @Option(help: ArgumentHelp("Only entries that were not used for this time.", valueName: "time"))
    var unusedFor: AgeArgument?

    var isEmpty: Bool { host == nil && olderThan == nil && unusedFor == nil }

    func selects(_ file: CacheRecord, at now: Duration) -> Bool {
        if let host, CacheFilter.host(of: file.key) != host.lowercased() { return false }
        if let olderThan, now - file.created <= olderThan.duration { return false }
        if let unusedFor, now - file.used <= unusedFor.duration { return false }
        return true
    }

    /// Returns the host in the address of a key; `nil` if there is none.
    static func host(of key: String) -> String? {
        guard let start = key.firstRange(of: "://") else { return nil }
        let rest = key[start.upperBound...].prefix { !"/?#|\n ".contains($0) }
        let name = rest.split(separator: "@").last ?? rest
        guard !name.hasPrefix("[") else { return name.split(separator: "]").first.map { String($0.dropFirst()) } }
        return name.split(separator: ":").first.map { $0.lowercased() }
    }
}

/// A duration: a number with `s`, `m`, `h` or `d`.
struct AgeArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard case (let number, let unit?)? = argument.number(Int64.self, in: units), (0...1_000_000).contains(number)
        else { return nil }
        duration = .seconds(number * unit)
    }
}

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Inspect, verify and clear a cache.",
        discussion: """
            Without a folder, the commands use the cache that all runs of 'firn' share: 'firn' in the user's cache \
            folder. A cache holds originals, partial bodies of interrupted transfers (in 'partial') and decoded images \
            (in 'bitmaps-v1'). The commands include all of them.

            EXAMPLES
              firn cache stats
              firn cache clear ~/.cache/other
            """,
        subcommands: [CacheStatsCommand.self, CacheVerifyCommand.self, CacheClearCommand.self])
}
