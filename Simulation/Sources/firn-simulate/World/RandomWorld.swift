/// Simulates users of an engine, from a seed. They start, cancel, pause and resume tasks, change their levels,
/// scroll, suspend the engine and change its limits. The seed also chooses the conditions of networks, decoders and
/// threads.
final class RandomWorld {
    let seed: UInt64
    let engine: SimulatedEngine
    private var random: SeededGenerator
    private let hosts: Int
    private let keys: Int
    /// The plans of the images of a key.
    private static let plans = [
        Plan([0]), Plan([0]), Plan([0, 10]), Plan([0, 10, 11]), Plan([1]), Plan([1, 10]), Plan([0, 12]), Plan(),
    ]
    /// The mean virtual time between two actions of the users.
    private let pace: Double
    private var scrolled = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        keys = 4 + random.below(60)
        hosts = 1 + random.below(4)
        pace = [0.2, 2, 10, 60][random.below(4)]
        var limits = StageLimits(
            computing: 1 + random.below(4), reading: 1 + random.below(3), transferring: 1 + random.below(7), storing: 1,
            backlog: 1 + random.below(12), storeBacklog: 1 + random.below(8), decodingBytes: random.below(300))
        limits.sharesByHost = random.chance(0.4)
        RandomWorld.vary(&limits, &random)
        engine = SimulatedEngine(
            name: "seed \(seed)", seed: seed ^ 0x5bd1_e995, circumstances: RandomWorld.circumstances(hosts, &random),
            limits: limits, keys: keys)
    }

    private static func vary(_ limits: inout StageLimits, _ random: inout SeededGenerator) {
        limits.transferringPerHost = 1 + random.below(6)
        limits.reservedTransfers = random.below(3)
        limits.order = random.chance(0.3) && !limits.sharesByHost ? .lastInFirstOut : .firstInFirstOut
        limits.heldBytes = random.chance(0.4) ? 1 + random.below(1_000_000) : .max
        limits.readingPerHost = 1 + random.below(3)
        limits.pausesTransfers = !random.chance(0.1)
        limits.finishesNearlyDone = !random.chance(0.1)
        limits.sessions = random.below(9)
        limits.rate =
            random.chance(0.3)
            ? nil : TransferRate(perSecond: 5 + random.fraction() * 100, burst: 1 + 25 * random.fraction())
        limits.previewing = 1 + random.below(2)
        limits.previewTime = [0, 5_000_000, 250_000_000][random.below(3)]
        limits.minimumEarlyBytes = random.chance(0.5) ? 64 << 10 : 4 << 10
    }

    private static func circumstances(_ hosts: Int, _ random: inout SeededGenerator) -> Circumstances {
        var new = Circumstances()
        new.hosts = hosts
        new.links = random.chance(0.5) ? 1 : hosts
        new.bitsPerSecond = [0.5e6, 5e6, 10e6, 100e6][random.below(4)]
        new.roundTrip = Moment([1, 20, 70, 400][random.below(4)]) * 1_000_000
        new.receiveBuffer = random.chance(0.3) ? 65_536 : 0
        new.breaks = random.chance(0.5) ? 0.1 : 0
        new.isFirstHostDead = random.chance(0.2)
        new.wrongLengths = random.chance(0.3) ? 0.1 : 0
        new.unknownLengths = random.chance(0.5) ? 0.3 : 0
        new.lies = random.chance(0.5) ? 0.3 : 0
        new.unresumable = random.chance(0.5) ? 0.3 : 0
        new.immediate = random.chance(0.3) ? 0.5 : 0.02
        new.maximumBytes = random.chance(0.3) ? 4_000_000 : 300_000
        new.chunk = 32 << 10
        new.keepsPartialBytes = random.chance(0.5)
        new.giants = random.chance(0.3) ? 0.1 : 0
        new.heldUp = random.chance(0.5) ? 0.3 : 0
        new.keeps = random.chance(0.8)
        new.lookups = random.chance(0.5) ? 0.5 : 0
        return new
    }

    /// Runs the world for a number of steps, then until everything has ended.
    ///
    /// - Returns: the first failed check.
    func run(steps: Int) -> String? {
        planNext()
        while engine.tally.steps < steps, engine.problem == nil {
            guard let number = engine.step() else { break }
            if number >= 0 {
                act()
                planNext()
            }
            engine.settle()
        }
        drain()
        return engine.problem
    }

    private func planNext() {
        // Mostly one action at a time, sometimes several at once.
        let delay = random.chance(0.3) ? 0 : pace * 2 * random.fraction()
        engine.plan(.outside(0), in: Moment(delay * 1e6))
    }

    /// Starts no new tasks, and runs until everything has ended.
    private func drain() {
        var limits = engine.limits
        limits.isSuspended = false
        limits.suspended = []
        engine.setLimits(limits)
        for number in engine.clients.indices where engine.clients[number].isPaused {
            engine.setPaused(number, false)
        }
        var rounds = 0
        while engine.problem == nil, engine.step() != nil {
            engine.settle()
            rounds += 1
            engine.expect(rounds < 2_000_000, "it does not come to an end")
        }
        if engine.problem == nil { engine.checkEmpty() }
    }

    // MARK: Actions

    private func act() {
        switch random.below(100) {
        case 0..<40: start()
        case 40..<58: if let number = somebody() { engine.cancel(number) }
        case 58..<72: if let number = somebody() { engine.setLevel(number, to: random.below(5)) }
        case 72..<80: if let number = somebody() { engine.setPaused(number, !engine.clients[number].isPaused) }
        case 80..<84: scroll()
        case 84..<86: for _ in 0..<random.below(30) { start(level: random.below(2)) }
        case 86: suspend()
        case 87:
            var limits = engine.limits
            limits.transferring = 1 + random.below(7)
            limits.computing = 1 + random.below(4)
            RandomWorld.vary(&limits, &random)
            engine.setLimits(limits)
        case 88:
            var limits = engine.limits
            limits.decodingBytes = random.below(300)
            engine.setLimits(limits)
        case 89..<93: if let number = somebody() { move(number) }
        default: break
        }
    }

    private func move(_ number: Int) {
        // A look-up mostly leads to the root that it named.
        let next = engine.clients[number].root?.leadsTo
        let key = next.flatMap { random.chance(0.8) ? $0 : nil } ?? random.below(keys)
        engine.move(
            number, to: key, plan: RandomWorld.plans[random.below(RandomWorld.plans.count)],
            host: RandomWorld.host(of: key, hosts))
    }

    private static func host(of key: Int, _ hosts: Int) -> Int { key % 11 == 10 ? -1 : key % hosts }

    private func start(level: Int? = nil) {
        let key = random.below(keys)
        engine.add(
            key: key, plan: RandomWorld.plans[random.below(RandomWorld.plans.count)], level: level ?? random.below(5),
            isPaused: random.chance(0.05), host: RandomWorld.host(of: key, hosts))
    }

    private func somebody() -> Int? {
        for _ in 0..<8 {
            let key = random.below(keys)
            if let number = engine.waiting[key].first { return number }
        }
        return nil
    }

    /// Scrolls a list: cancels the tasks of some cells and starts those of others.
    private func scroll() {
        let gone = (0..<6).map { (scrolled + $0) % keys }
        for key in gone { while let number = engine.waiting[key].first { engine.cancel(number) } }
        scrolled += 6
        for _ in 0..<6 { start(level: 2 + random.below(3)) }
    }

    private func suspend() {
        var limits = engine.limits
        if limits.isSuspended || !limits.suspended.isEmpty {
            limits.isSuspended = false
            limits.suspended = []
        } else if random.chance(0.5) {
            limits.isSuspended = true
        } else {
            limits.suspended = StageSet(JobStage.allCases[random.below(JobStage.count)])
        }
        engine.setLimits(limits)
    }
}
