/// A grid on a slow connection: a fling over 500 cells, a stop, and a return to the middle of the passed range.
///
/// As in the view binding, visible cells have level 2, and one more screen on both sides has level 1. A policy
/// handles cells that scroll away; the last 128 of them may stay paused.
final class FlingWorld {
    enum Policy: CaseIterable { case cancel, finish, pause }

    /// The seconds until all visible images were loaded.
    private(set) var stopped = 0.0
    private(set) var returned = 0.0
    let engine: SimulatedEngine
    private let policy: Policy
    /// The tasks of bound cells, by key.
    private var bound: [Int: Int] = [:]
    /// The tasks of cells that scrolled away, by key, and the order in which they did.
    private var left: [Int: Int] = [:]
    private var resting: [Int] = []
    private var images: Set<Int> = []

    private static let columns = 6
    private static let rows = 7
    static let far = 84
    private static let frame: Moment = 16_000_000
    private static let maximumResting = 128

    init(seed: UInt64, policy: Policy) {
        self.policy = policy
        engine = ScreenWorld.engine(seed: seed, keys: FlingWorld.columns * (FlingWorld.far + 4 * FlingWorld.rows))
    }

    /// Returns the seconds until the final screen is complete, without other transfers.
    func alone() -> Double {
        engine.plan(.outside(0), in: 0)
        return wait { FlingWorld.keys(FlingWorld.far, FlingWorld.rows) }
    }

    func run() {
        engine.plan(.outside(0), in: 0)
        _ = wait { self.bind(at: 0) }
        move(from: 0, to: FlingWorld.far, seconds: 3)
        stopped = wait { self.bind(at: Double(FlingWorld.far)) }
        move(from: FlingWorld.far, to: FlingWorld.far / 2, seconds: 1.5)
        returned = wait { self.bind(at: Double(FlingWorld.far / 2)) }
        // The user does not return to the rest.
        for number in Array(bound.values) + Array(left.values) { engine.cancel(number) }
        while engine.step() != nil { engine.settle() }
        if engine.problem == nil { engine.checkEmpty() }
    }

    private static func keys(_ row: Int, _ count: Int) -> [Int] {
        let first = max(0, row) * columns
        return Array(first..<max(first, (row + count) * columns))
    }

    // MARK: Time

    /// Advances to the next frame; returns `false` if a check failed.
    private func nextFrame() -> Bool {
        engine.plan(.outside(0), in: FlingWorld.frame)
        while engine.problem == nil, let event = engine.step() {
            engine.settle()
            if event == 0 { return true }
        }
        return false
    }

    private func move(from: Int, to: Int, seconds: Double) {
        let start = engine.now
        while nextFrame() {
            let part = Double(engine.now - start) / 1e9 / seconds
            guard part < 1 else { return }
            _ = bind(at: Double(from) + Double(to - from) * part)
        }
    }

    /// Waits until all keys have their images.
    private func wait(_ keys: () -> [Int]) -> Double {
        let start = engine.now
        let keys = keys()
        for key in keys where bound[key] == nil { bound[key] = engine.add(key: key, plan: Plan([0]), level: 2) }
        while !keys.allSatisfy({ has($0) }), engine.now - start < 60_000_000_000, nextFrame() {}
        return Double(engine.now - start) / 1e9
    }

    private func has(_ key: Int) -> Bool {
        if images.contains(key) { return true }
        guard let number = bound[key], engine.clients[number].succeeded else { return false }
        images.insert(key)
        return true
    }

    // MARK: Cells

    /// Scrolls the grid to a row: unbinds and rebinds cells.
    ///
    /// - Returns: the visible keys.
    private func bind(at offset: Double) -> [Int] {
        let row = Int(offset)
        let part = offset > Double(row) ? 1 : 0
        let visible = FlingWorld.keys(row, FlingWorld.rows + part)
        let wanted = FlingWorld.keys(row - FlingWorld.rows, 3 * FlingWorld.rows + part)
        let (onScreen, nearby) = (Set(visible), Set(wanted))
        for (key, number) in bound.sorted(by: { $0.key < $1.key }) where !nearby.contains(key) {
            bound[key] = nil
            if engine.clients[number].succeeded { images.insert(key) } else { leave(key, number) }
        }
        for key in wanted where key < engine.sizes.count && !images.contains(key) {
            let level = onScreen.contains(key) ? 2 : 1
            guard let number = bound[key] ?? comeBack(key) else {
                bound[key] = engine.add(key: key, plan: Plan([0]), level: level)
                continue
            }
            bound[key] = number
            if engine.clients[number].level != level { engine.setLevel(number, to: level) }
        }
        trim()
        return visible
    }

    private func leave(_ key: Int, _ number: Int) {
        switch policy {
        case .cancel: engine.cancel(number)
        case .finish:
            engine.setLevel(number, to: 0)
            left[key] = number
        case .pause:
            engine.setLevel(number, to: 0)
            engine.setPaused(number, true)
            left[key] = number
            resting.append(key)
        }
    }

    private func comeBack(_ key: Int) -> Int? {
        guard let number = left.removeValue(forKey: key) else { return nil }
        resting.removeAll { $0 == key }
        if engine.clients[number].isPaused { engine.setPaused(number, false) }
        return number
    }

    private func trim() {
        while resting.count > FlingWorld.maximumResting {
            if let number = left.removeValue(forKey: resting.removeFirst()) { engine.cancel(number) }
        }
    }
}
