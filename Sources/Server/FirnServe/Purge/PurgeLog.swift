/// The results that a purge makes misses.
enum PurgeTarget: Sendable, Hashable {
    /// The results of one address, by ``ResultJob/name``.
    case result(String)
    /// The results of a source, by its address.
    case source(String)
    /// The results of all sources whose addresses start with a text.
    case prefix(String)
    case all
}

/// The number of the last purge of each target. A pure value.
///
/// Work and everything that is stored have the number of their last purge in their keys, so a later purge makes them
/// misses, and work that began earlier is neither joined nor found. Numbers are at least the milliseconds since 1970,
/// so they grow even if the log is lost.
///
/// Logs of several servers merge in any order. No record expires, because sources on disk and results of local files
/// have no age limit. Beyond ``maximumTargets`` or ``maximumPrefixes``, all records become one purge of everything.
struct PurgeLog: Sendable, Equatable {
    static let (maximumTargets, maximumPrefixes) = (16_384, 256)
    /// The number of the last purge; 0 for none.
    private(set) var number = 0
    private var all = 0
    private var targets: [PurgeTarget: Int] = [:]
    private var prefixes: [String: Int] = [:]

    /// Returns the number of the last purge of a source, or of one of its results; 0 for none.
    ///
    /// - Parameters:
    ///   - source: the address of the source.
    ///   - result: the name of the result. Default: none, for what all results of the source share.
    func revision(of source: String, result: String? = nil) -> Int {
        var last = max(all, targets[.source(source)] ?? 0)
        if let result { last = max(last, targets[.result(result)] ?? 0) }
        for (prefix, number) in prefixes where number > last && source.hasPrefix(prefix) { last = number }
        return last
    }

    /// Adds a purge and returns its number.
    ///
    /// - Parameter now: the milliseconds since 1970.
    @discardableResult
    mutating func add(_ target: PurgeTarget, now: Int) -> Int {
        number = max(number &+ 1, now)
        set(target, number)
        return number
    }

    mutating func merge(_ other: PurgeLog) {
        number = max(number, other.number)
        for (target, number) in other.rows { set(target, number) }
    }

    private mutating func set(_ target: PurgeTarget, _ number: Int) {
        guard number > all else { return }
        switch target {
        case .all: all = number
        case .prefix(let text): prefixes[text] = max(number, prefixes[text] ?? 0)
        case .result, .source: targets[target] = max(number, targets[target] ?? 0)
        }
        if targets.count > PurgeLog.maximumTargets || prefixes.count > PurgeLog.maximumPrefixes { all = self.number }
        guard all >= number else { return }
        (targets, prefixes) = (targets.filter { $0.value > all }, prefixes.filter { $0.value > all })
    }

    private var rows: [(PurgeTarget, Int)] {
        [(.all, all)] + prefixes.map { (.prefix($0.key), $0.value) } + targets.map { ($0.key, $0.value) }
    }

    // MARK: Text

    /// The longest text of a target, in bytes.
    static let maximumText = 2048

    /// One line for the number and one for each record: its number, the letter of the kind, and the target's text.
    var text: String {
        let lines = rows.map { target, number in
            switch target {
            case .result(let text): "\(number) r \(text)"
            case .source(let text): "\(number) s \(text)"
            case .prefix(let text): "\(number) p \(text)"
            case .all: "\(number) a "
            }
        }
        return "\(number)\n" + lines.joined(separator: "\n")
    }

    init() {}

    /// - Returns: `nil` if ``text`` did not make the text.
    init?(_ text: String) {
        let lines = text.split(separator: "\n")
        guard let number = lines.first.flatMap({ PurgeLog.number($0) }) else { return nil }
        self.number = number
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let own = PurgeLog.number(parts[0]), own <= number else { return nil }
            switch parts[1] {
            case "r": set(.result(parts[2]), own)
            case "s": set(.source(parts[2]), own)
            case "p": set(.prefix(parts[2]), own)
            case "a": set(.all, own)
            default: return nil
            }
        }
    }

    /// Numbers stay exact in JSON.
    private static func number(_ text: some StringProtocol) -> Int? {
        Int(text).flatMap { (0..<1 << 53).contains($0) ? $0 : nil }
    }
}
