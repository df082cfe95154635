import ArgumentParser
import Firn

/// Selects files of a cache.
struct CacheFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only entries of this host.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only entries older than this: 90s, 30m, 12h, 7d.", valueName: "time"))
    var olderThan: AgeArgument?

    @Option(help: ArgumentHelp("Only entries that were not used for this time.", valueName: "time"))
    var unusedFor: AgeArgument?

    var isEmpty: Bool { host == nil && olderThan == nil && unusedFor == nil }

    /// Returns whether a file with this key and these times is selected.
    func means(key: String, created: Duration, used: Duration, at now: Duration) -> Bool {
        if let host, CacheFilter.host(of: key) != host.lowercased() { return false }
        if let olderThan, now - created <= olderThan.duration { return false }
        if let unusedFor, now - used <= unusedFor.duration { return false }
        return true
    }

    /// Returns the host of the address in a key; `nil` if there is none.
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
