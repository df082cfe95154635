/// Measures how long a screen of images takes on a slow connection: alone, during heavy prefetching, and when the
/// user scrolls back and forth.
///
/// The connection is typical of LTE: 10 Mbit/s in total, 70 ms round trip. The run fails if a value misses its bound.
struct ScreenRun {
    let seeds: Int
    /// The number of visible images, and of images to prefetch.
    static let visible = 24
    static let prefetched = 500

    init(_ values: [String: Int]) { seeds = max(20, values["screens"] ?? 20) }

    func run() -> Int32 {
        var rows: [ScreenRow] = []
        rows += screens(lanes: 2, receiveBuffer: 0)
        rows += screens(lanes: ScreenRun.prefetched, receiveBuffer: 0)
        rows += screens(lanes: ScreenRun.prefetched, receiveBuffer: 65_536)
        rows.append(minds(keepsPartialBytes: true))
        rows.append(minds(keepsPartialBytes: false))
        rows += flings()
        print("a screen of \(ScreenRun.visible) images of 30 to 250 KB on LTE, \(seeds) seeds")
        for row in rows { print(row.description) }
        let missed = rows.count { !$0.isMet }
        if missed > 0 { print("missed: \(missed)") }
        return missed > 0 ? 1 : 0
    }

    /// Compares the screen during prefetching with the screen alone, and prefetching after the screen with prefetching
    /// alone.
    ///
    /// - Parameters:
    ///   - lanes: the number of images that the prefetcher requests at once.
    ///   - receiveBuffer: the number of bytes that the system accepts for a paused transfer, in addition to those in
    ///     flight.
    private func screens(lanes: Int, receiveBuffer: Double) -> [ScreenRow] {
        var alone: [Double] = []
        var beside: [Double] = []
        var ownSpeed = 0.0
        var laterSpeed = 0.0
        var problem: String?
        for seed in 0..<UInt64(seeds) {
            var idle = ScreenWorld(seed: seed, lanes: lanes, receiveBuffer: receiveBuffer)
            idle.run(prefetches: false, opens: true)
            var busy = ScreenWorld(seed: seed, lanes: lanes, receiveBuffer: receiveBuffer)
            busy.run(prefetches: true, opens: true)
            var only = ScreenWorld(seed: seed, lanes: lanes, receiveBuffer: receiveBuffer)
            only.run(prefetches: true, opens: false)
            alone += idle.times
            beside += busy.times
            ownSpeed += only.speed
            laterSpeed += busy.speed
            problem = problem ?? idle.engine.problem ?? busy.engine.problem ?? only.engine.problem
        }
        let (idle, busy) = (Quantile.of(alone, 0.95), Quantile.of(beside, 0.95))
        var how = lanes == 2 ? "2 prefetched at a time" : "500 asked for at once"
        if receiveBuffer > 0 { how += ", 64 KB buffers" }
        return [
            ScreenRow(
                name: "p95 of a visible image, \(how)", value: busy / idle, bound: 1.1, isUpper: true,
                note: "\(Int(busy * 1000)) ms, alone \(Int(idle * 1000)) ms", problem: problem),
            ScreenRow(
                name: "speed of prefetching afterwards, \(how)", value: laterSpeed / ownSpeed, bound: 0.9,
                isUpper: false,
                note:
                    "\(Int(laterSpeed / Double(seeds) / 1000)) KB/s, alone \(Int(ownSpeed / Double(seeds) / 1000)) KB/s"
            ),
        ]
    }

    /// Measures a fling over 500 cells: the final screen compared with that screen alone, under each policy for cells
    /// that scroll away; and the screen returned to, paused compared with cancelled.
    private func flings() -> [ScreenRow] {
        var alone = 0.0
        var stopped: [FlingWorld.Policy: Double] = [:]
        var returned: [FlingWorld.Policy: Double] = [:]
        var problem: String?
        for seed in 0..<UInt64(seeds) {
            alone += FlingWorld(seed: seed, policy: .cancel).alone()
            for policy in FlingWorld.Policy.allCases {
                let world = FlingWorld(seed: seed, policy: policy)
                world.run()
                stopped[policy, default: 0] += world.stopped
                returned[policy, default: 0] += world.returned
                problem = problem ?? world.engine.problem
            }
        }
        func milliseconds(_ seconds: Double?) -> Int { Int((seconds ?? 0) * 1000 / Double(seeds)) }
        let rows = FlingWorld.Policy.allCases.map { policy in
            ScreenRow(
                name: "the screen stopped at after a fling over 500 cells, \(policy)",
                value: (stopped[policy] ?? .infinity) / alone, bound: 1.3, isUpper: true,
                note: "\(milliseconds(stopped[policy])) ms, alone \(milliseconds(alone)) ms", problem: problem)
        }
        let (paused, cancelled) = (returned[.pause] ?? .infinity, returned[.cancel] ?? 1)
        return rows + [
            ScreenRow(
                name: "the screen returned to, pause against cancel", value: paused / cancelled, bound: 1.05,
                isUpper: true,
                note: "\(milliseconds(paused)) ms, \(milliseconds(cancelled)) ms", problem: problem)
        ]
    }

    /// Measures a thousand cancellations and returns: with the bytes of stopped transfers stored for resumption, as
    /// in the engine, and dropped, as without range requests. The bound of the second is its present value, so that
    /// it gets no worse.
    private func minds(keepsPartialBytes: Bool) -> ScreenRow {
        var tally = Tally()
        var problem: String?
        let runs = max(1, seeds / 5)
        for seed in 0..<UInt64(runs) {
            let world = FickleWorld(seed: seed, keepsPartialBytes: keepsPartialBytes)
            world.run(cancels: 1000)
            tally = tally + world.engine.tally
            problem = problem ?? world.engine.problem
        }
        let share = Double(tally.wastedBytes) / Double(max(1, tally.receivedBytes))
        let lost = tally.lostBytes / Double(max(1, tally.receivedBytes))
        let note =
            "of \(tally.receivedBytes / runs / 1_000_000) MB; let finish \(tally.lingered), stopped \(tally.stops); "
            + "in flight when given up \(Double(Int(lost * 1000)) / 10) %"
        return ScreenRow(
            name: "bytes wasted by 1000 cancels and returns" + (keepsPartialBytes ? "" : ", nothing kept"),
            value: share, bound: keepsPartialBytes ? 0.02 : 0.09, isUpper: true, note: note, problem: problem)
    }
}
