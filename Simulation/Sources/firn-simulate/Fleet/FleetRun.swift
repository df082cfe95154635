/// Compares the ways in which a proxy chooses one of many image servers: the load of the busiest one, the copies of
/// results in memory, and the results that servers fetch from the store.
///
/// The run fails if a value misses its bound. A wait is that for a server's work on earlier requests.
struct FleetRun {
    private let servers: Int
    private let requests: Int

    init(_ values: [String: Int]) {
        servers = min(max(2, values["servers"] ?? 100), 10_000)
        requests = 2500 * servers
    }

    func run() -> Int32 {
        let random = measure(.random)
        let hash = measure(.hash)
        let bounded = measure(.boundedHash)
        let unkept = measure(.random, keepsFetched: false)
        let rows = [
            load("random", random, atMost: 1.15),
            load("consistent hashing", hash, atLeast: 1.5),
            load("consistent hashing with bounded loads", bounded, atMost: 1.35),
            fetches("random", random, atMost: 0.5),
            fetches("consistent hashing", hash, atMost: 0.25),
            fetches("consistent hashing with bounded loads", bounded, atMost: fetchShare(hash) + 0.1),
            fetches("random, if servers did not keep what they fetch", unkept, atLeast: 0.9),
        ]
        print("\(requests) requests to \(servers) servers, for \(FleetWorld.results) results by Zipf's law")
        for row in rows { print(row.description) }
        return rows.allSatisfy(\.isMet) ? 0 : 1
    }

    private func measure(_ way: FleetWorld.Way, keepsFetched: Bool = true) -> FleetWorld {
        var world = FleetWorld(servers: servers, way: way, keepsFetched: keepsFetched, seed: 1)
        world.run(requests: requests)
        return world
    }

    private func load(
        _ name: String, _ world: FleetWorld, atMost most: Double? = nil, atLeast least: Double = 0
    ) -> ScreenRow {
        let share = Double(Int(world.popularShare * 1000)) / 10
        let wait = Double(world.longestWait / 100_000) / 10
        return ScreenRow(
            name: "busiest server, of the mean, \(name)", value: world.largestLoad, bound: most ?? least,
            isUpper: most != nil,
            note: "\(share) % of the requests for the most popular result; longest wait \(wait) ms",
            problem: world.problem ?? (most != nil && wait > 10 ? "a request waited \(wait) ms" : nil))
    }

    private func fetches(
        _ name: String, _ world: FleetWorld, atMost most: Double? = nil, atLeast least: Double = 0
    ) -> ScreenRow {
        ScreenRow(
            name: "fetches per request, \(name)", value: fetchShare(world), bound: most ?? least,
            isUpper: most != nil, note: "\(Double(Int(world.copies * 100)) / 100) copies of a result in memory")
    }

    private func fetchShare(_ world: FleetWorld) -> Double { Double(world.fetches) / Double(requests) }
}
