/// The number of the last purge of each target. A pure value.
///
/// Work and everything that is stored have the number of their last purge in their keys, so a later purge makes them
/// misses, and work that began earlier is neither joined nor found. Numbers are at least the milliseconds since 1970,
/// so they grow even if the log is lost.
///
/// Targets: `a` everything; `p` and the start of addresses of sources; `s` and the address of a source; `r` and the
/// ``ResultJob/name`` of a result. No record expires, because sources on disk and results of local files have no age
/// limit. Beyond a limit, all records become one purge of everything.
struct PurgeLog: Sendable, Equatable {
    /// The limits of all targets and of prefixes.
    static let (maximumTargets, maximumPrefixes) = (16_384, 256)
    /// The number of the last purge; 0 for none.
    private(set) var number = 0
    private var targets: [String: Int] = [:]
    private var prefixes: [String: Int] = [:]

    /// Returns the number of the last purge of a source, or of one of its results; 0 for none.
    ///
    /// - Parameters:
    ///   - source: the address of the source.
    ///   - result: the name of the result. Default: none, for what all results of the source share.
    func revision(of source: String, result: String? = nil) -> Int {
        var last = max(self["a"], self["s" + source], result.map { self["r" + $0] } ?? 0)
        for (prefix, number) in prefixes where number > last && source.hasPrefix(prefix) { last = number }
        return last
    }

    private subscript(target: String) -> Int { targets[target] ?? 0 }

    /// Adds a purge and returns its number.
    ///
    /// - Parameter now: the milliseconds since 1970.
    @discardableResult
    mutating func add(_ target: String, now: Int) -> Int {
        number = max(number &+ 1, now)
        set(target, number)
        return number
    }

    /// Adds the purges that another log has.
    mutating func merge(_ other: PurgeLog) {
        number = max(number, other.number)
        for (target, number) in other.targets { set(target, number) }
    }

    /// Adds the purges that a store has lost, with new numbers, because newer ones may have been applied.
    mutating func restore(_ own: PurgeLog, now: Int) {
        for (target, number) in own.targets where number > max(self[target], self["a"]) { add(target, now: now) }
    }

    private mutating func set(_ target: String, _ number: Int) {
        guard number > max(self[target], self["a"]) else { return }
        targets[target] = number
        if target.hasPrefix("p") { prefixes[String(target.dropFirst())] = number }
        if targets.count > PurgeLog.maximumTargets || prefixes.count > PurgeLog.maximumPrefixes {
            targets = ["a": self.number]
        }
        let all = self["a"]
        guard target == "a" || all == self.number else { return }
        (targets, prefixes) = (targets.filter { $0.value >= all }, prefixes.filter { $0.value > all })
    }

    /// A line with the number, and one for each record: its number and target.
    var text: String { targets.reduce(into: "\(number)") { $0 += "\n\($1.value) \($1.key)" } }

    init() {}

    /// - Returns: `nil` if ``text`` did not make the text.
    init?(_ text: some StringProtocol) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            // Numbers stay exact in JSON.
            guard let own = parts.first.flatMap({ Int($0) }), (0..<1 << 53).contains(own) else { return nil }
            number = max(number, own)
            if parts.count > 1 { set(String(parts[1]), own) }
        }
    }
}
