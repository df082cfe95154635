import ArgumentParser
import Firn

/// Which entries of a cache a command means.
struct CacheFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only entries of addresses of this host.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only entries stored longer ago than this: 90s, 30m, 12h, 7d.", valueName: "time"))
    var olderThan: AgeArgument?

    @Option(help: ArgumentHelp("Only entries not used for longer than this.", valueName: "time"))
    var unusedFor: AgeArgument?

    /// Whether every entry is meant.
    var isEmpty: Bool { host == nil && olderThan == nil && unusedFor == nil }

    /// Whether an entry is meant.
    func matches(_ record: DataCacheRecord, at now: Duration) -> Bool {
        if let host, CacheFilter.host(of: record.key) != host.lowercased() { return false }
        if let olderThan, now - record.created <= olderThan.duration { return false }
        if let unusedFor, now - record.used <= unusedFor.duration { return false }
        return true
    }

    /// The host of the address in a key; `nil` where there is none.
    static func host(of key: String) -> String? {
        guard let start = key.firstRange(of: "://") else { return nil }
        let rest = key[start.upperBound...].prefix { !"/?#|\n ".contains($0) }
        let name = rest.split(separator: "@").last ?? rest
        guard !name.hasPrefix("[") else { return name.split(separator: "]").first.map { String($0.dropFirst()) } }
        return name.split(separator: ":").first.map { $0.lowercased() }
    }
}

/// A length of time on the command line: a number and `s`, `m`, `h` or `d`.
struct AgeArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = argument.last, let unit = units[last], let number = Int64(argument.dropLast()), number >= 0,
            number <= 1_000_000
        else { return nil }
        duration = .seconds(number * unit)
    }
}
