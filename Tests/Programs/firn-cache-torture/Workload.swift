import FirnCache
import FirnData
import FoundationEssentials
import FirnSystem

/// A process that uses a cache as intensively as it can.
struct Workload {
    static let keys = 200
    static let limits = DataCacheLimits(
        bytes: 2 << 20, count: 150, freeSpaceShare: nil, stagedBytes: 1 << 20, useInterval: .milliseconds(1))

    let directory: String
    let seed: UInt64

    static func key(_ number: Int) -> String { "https://example.org/\(number).jpg" }

    /// Performs `steps` random operations, or continues until it is killed; returns `false` once it has read wrong
    /// data.
    func run(steps: Int) -> Bool {
        let cache = DataCache(directory: directory, limits: Workload.limits)
        var random = seed
        for step in 0..<steps {
            let number = Int(Pattern.next(&random) % UInt64(Workload.keys))
            let key = Workload.key(number)
            let body = { DataCacheEntry(data: Pattern.body(number, Pattern.next(&random)), headers: ["A": "b"]) }
            switch Pattern.next(&random) % 20 {
            case 0..<8: cache.stage(body(), for: key)
            case 8..<11: try? cache.store(body(), for: key)
            case 11..<17:
                if let data = (try? cache.entry(for: key))?.data, !Pattern.isRight(data, number) {
                    print("step \(step): wrong bytes of \(key)")
                    return false
                }
            case 17..<19: try? cache.remove(key)
            default: if Pattern.next(&random) % 50 == 0 { try? cache.removeAll() }
            }
        }
        cache.flush()
        return true
    }

    /// Returns the first fault in a directory that no process writes to; `nil` if there is none.
    static func fault(in directory: String, processes: Int = 1) -> String? {
        let cache = DataCache(directory: directory, limits: limits)
        for number in 0..<keys {
            do throws(DataCachingError) {
                guard let entry = try cache.entry(for: key(number)) else { continue }
                if !Pattern.isRight(entry.data, number) { return "wrong bytes of \(key(number))" }
                if entry.headers != ["A": "b"] { return "wrong fields of \(key(number))" }
            } catch { return error.message }
        }
        guard let statistics = try? cache.statistics() else { return "no statistics" }
        if statistics.damaged > 0 { return "\(statistics.damaged) damaged entries had a name" }
        if statistics.bytes > limits.bytes || statistics.count > limits.count {
            return "\(statistics.count) entries of \(statistics.bytes) bytes: above the limits"
        }
        return nil
    }

    /// Returns the temporary files in a directory after a sweep of everything that dead writers left.
    static func leftovers(in directory: String) -> [String] {
        // This process' clock is an hour later.
        let cache = DataCache(directory: directory, limits: limits, now: { .sinceEpoch() + .seconds(4_000) })
        _ = try? cache.verify(removing: true)
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".tmp") }
    }
}
