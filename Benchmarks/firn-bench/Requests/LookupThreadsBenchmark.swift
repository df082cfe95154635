import Firn
import FirnFigures
import FoundationEssentials

/// Measures the cost of a hit while another thread looks up, too, compared with a dictionary under one lock, the
/// cheapest cache without shards.
struct LookupThreadsBenchmark: Sendable {
    let rounds: Int
    private static let lookups = 1_000_000

    func run() throws -> [Figure] {
        let image = try RequestWorld.image()
        let keys = RequestWorld.requests(1000).map { ImageCacheKey($0.description) }
        let cache = ImageCache()
        for key in keys { cache[key] = ImageContainer(image: image) }
        let plain = LockedDictionary(keys, ImageContainer(image: image))
        return [1, 2].map { threads in
            var own: [Double] = []
            var others: [Double] = []
            for _ in 0..<rounds {
                own.append(
                    time(threads) { for at in 0..<LookupThreadsBenchmark.lookups { _ = cache[keys[at % 1000]] } })
                others.append(
                    time(threads) { for at in 0..<LookupThreadsBenchmark.lookups { plain.look(keys[at % 1000]) } })
            }
            let mine = own.median
            let theirs = others.median
            return Figure(
                name: "threads.lookup\(threads)", value: mine, unit: "µs", peer: "a dictionary under one lock",
                peerValue: theirs)
        }
    }

    /// Returns the wall time for each lookup of all threads together, in microseconds.
    private func time(_ threads: Int, _ body: @escaping @Sendable () -> Void) -> Double {
        let start = Stopwatch.wallNow
        let others = (1..<threads).map { _ in
            let thread = BenchThread(body)
            thread.start()
            return thread
        }
        body()
        for thread in others { thread.join() }
        return (Stopwatch.wallNow - start) * 1e6 / Double(LookupThreadsBenchmark.lookups * threads)
    }
}
