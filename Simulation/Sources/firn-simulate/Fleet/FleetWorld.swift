import FirnSystem

/// Image servers that share one store of results, behind a proxy.
///
/// Results are requested by Zipf's law. Each server keeps the results that it used last in memory, and works on one
/// request after the other. It fetches a result that is not in its memory from the store, which has all results. A
/// request is in progress until the client has read the response.
///
/// - Source: Karger et al.: Consistent hashing and random trees (1997); Mirrokni, Thorup, Zadimoghaddam: Consistent
///   hashing with bounded loads (2016).
struct FleetWorld {
    /// The way in which the proxy chooses a server.
    enum Way {
        case random
        /// Consistent hashing.
        case hash
        /// Consistent hashing with bounded loads: a busy server passes requests to the next one on the ring.
        case boundedHash
    }

    private struct Server {
        var memory: RecentResults
        /// The end of the work on accepted requests.
        var end: Moment = 0
        var inProgress = 0
        var requests = 0
        /// The requests for the most popular result.
        var popular = 0
    }

    /// 64 MiB of results of 64 KiB.
    private static let resultsInMemory = 1024
    static let results = 50_000
    /// The points of a server on the ring, as in nginx.
    private static let points = 160
    /// The largest load of a server by ``Way/boundedHash``, of the mean load.
    private static let loadFactor = 1.25
    /// The work for a response from memory, the additional work for a fetch, and the time for sending.
    private static let (hitTime, fetchTime, sendTime): (Moment, Moment, Moment) = (20_000, 200_000, 3_000_000)
    /// The mean time between two requests to a server.
    private static let pause = 150_000.0

    private let way: Way
    private let keepsFetched: Bool
    private var generator: SeededGenerator
    private let weights: [Double]
    private let ring: [(point: UInt64, server: Int)]
    private var servers: [Server]
    private var ends = EventQueue<Int>()
    private var now: Moment = 0
    private(set) var fetches = 0
    private(set) var longestWait: Moment = 0
    private(set) var problem: String?

    /// - Parameter keepsFetched: whether a server keeps results that it fetched from the store; otherwise it keeps only
    ///   those whose place on the ring is its own.
    init(servers count: Int, way: Way, keepsFetched: Bool = true, seed: UInt64) {
        self.way = way
        self.keepsFetched = keepsFetched
        generator = SeededGenerator(seed: seed)
        var sum = 0.0
        weights = (1...FleetWorld.results).map { number in
            sum += 1 / Double(number)
            return sum
        }
        var points = SeededGenerator(seed: ~seed)
        ring = (0..<count * FleetWorld.points).map { (points.next(), $0 % count) }.sorted { $0.0 < $1.0 }
        servers = Array(
            repeating: Server(memory: RecentResults(limit: FleetWorld.resultsInMemory)), count: max(1, count))
    }

    /// Requests results and counts the second half, in which the memory of servers is full.
    mutating func run(requests: Int) {
        let pause = FleetWorld.pause / Double(servers.count)
        for number in 0..<2 * requests {
            if number == requests {
                (fetches, longestWait) = (0, 0)
                for server in servers.indices { (servers[server].requests, servers[server].popular) = (0, 0) }
            }
            now += Moment(-log(Double.random(in: .leastNonzeroMagnitude..<1, using: &generator)) * pause)
            while let time = ends.firstTime, time <= now, let (_, server) = ends.takeFirst() {
                servers[server].inProgress -= 1
            }
            let value = Double.random(in: 0..<(weights.last ?? 1), using: &generator)
            request(weights.firstIndex(after: value) { $0 })
        }
    }

    private mutating func request(_ result: Int) {
        var key = SeededGenerator(seed: UInt64(result))
        let place = ring.firstIndex(after: key.next()) { $0.point } % ring.count
        let server = choose(place)
        let hasResult = servers[server].memory.use(result, keeps: keepsFetched || ring[place].server == server)
        if !hasResult { fetches += 1 }
        let start = max(now, servers[server].end)
        longestWait = max(longestWait, start - now)
        servers[server].end = start + FleetWorld.hitTime + (hasResult ? 0 : FleetWorld.fetchTime)
        servers[server].inProgress += 1
        servers[server].requests += 1
        if result == 0 { servers[server].popular += 1 }
        ends.add(server, at: servers[server].end + FleetWorld.sendTime)
    }

    /// Returns the server of a request whose result has a place on the ring.
    private mutating func choose(_ place: Int) -> Int {
        switch way {
        case .random: return Int.random(in: servers.indices, using: &generator)
        case .hash: return ring[place].server
        case .boundedHash:
            let limit = (FleetWorld.loadFactor * Double(ends.count + 1) / Double(servers.count)).rounded(.up)
            for distance in ring.indices {
                let server = ring[(place + distance) % ring.count].server
                if Double(servers[server].inProgress + 1) <= limit { return server }
            }
            problem = "all servers have their largest load"
            return ring[place].server
        }
    }

    // MARK: Measured values

    /// The requests of the busiest server, of the mean.
    var largestLoad: Double { share(\.requests) * Double(servers.count) }
    /// The largest share of one server in the requests for the most popular result.
    var popularShare: Double { share(\.popular) }
    /// The servers that have a result in memory, on average over the results that any has.
    var copies: Double {
        let kept = servers.flatMap(\.memory.results)
        return Double(kept.count) / Double(max(1, Set(kept).count))
    }

    private func share(_ count: KeyPath<Server, Int>) -> Double {
        let counts = servers.map { $0[keyPath: count] }
        return Double(counts.max() ?? 0) / Double(max(1, counts.reduce(0, +)))
    }
}

/// The results that a server used last.
struct RecentResults {
    private let limit: Int
    private var last: [Int: Int] = [:]
    /// The uses in order, also those of results that were used again.
    private var uses: [(result: Int, number: Int)] = []
    private var first = 0

    init(limit: Int) { self.limit = limit }

    var results: some Collection<Int> { last.keys }

    /// Uses a result.
    ///
    /// - Parameter keeps: whether a missing result is added.
    /// - Returns: false if it is missing.
    mutating func use(_ result: Int, keeps: Bool) -> Bool {
        let isPresent = last[result] != nil
        guard isPresent || keeps else { return false }
        last[result] = uses.count
        uses.append((result, uses.count))
        while last.count > limit || (first < uses.count && last[uses[first].result] != uses[first].number) {
            if last[uses[first].result] == uses[first].number { last[uses[first].result] = nil }
            first += 1
        }
        return isPresent
    }
}

extension Array {
    /// Returns the index of the first element with a larger value, in an array that is sorted by these values.
    fileprivate func firstIndex<Value: Comparable>(after value: Value, of: (Element) -> Value) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if of(self[middle]) > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
