import FirnImage
import FirnTesting

@testable import FirnBinding
@testable import FirnPipeline

/// A list of reused cells, scrolled back and forth, over the real values: a `BindingState` for each cell, one
/// `ReleasedLoads` and one shared `DeliveryQueue`. The seed decides when requests end; this code performs what the
/// shell performs.
struct BindingList: SeededWorld {
    struct Cell {
        var state = BindingState<Int>()
        var item: Int?
        var load: Int?
        var shown: Int?
    }

    struct Load {
        let item: Int
        var cell: Int?
        var number = 0
        var isPaused = false
        var hasEnded = false
        var isCancelled = false
    }

    static let items = 60
    static let size = PixelSize(width: 10, height: 10)

    var random: SeededGenerator
    var cells: [Cell]
    var loads: [Int: Load] = [:]
    var released: ReleasedLoads<Int, Int>
    var queue: DeliveryQueue<Int, Int>
    var cache: Set<Int> = []
    var top = 0
    var now: Moment = 0
    var nextLoad = 0
    var problems: [String] = []
    // Counts that show that the world has covered the cases.
    var images = 0
    var takenOver = 0
    let pausedLimit: Int
    let rules = BindingState<Int>.Rules(placeholder: .some)

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        pausedLimit = Int.random(in: 0...6, using: &random)
        cells = Array(repeating: Cell(), count: Int.random(in: 6...14, using: &random))
        released = ReleasedLoads(
            policy: ImageReusePolicy.allCases.randomElement(using: &random) ?? .cancel, limit: pausedLimit)
        queue = DeliveryQueue(budget: .milliseconds(4))
    }

    /// The visible items: as many as there are cells, minus a few spare ones.
    var window: Range<Int> { top..<min(Self.items, top + cells.count - 2) }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4: scroll(by: Int.random(in: -4...4, using: &random))
        case 5: scroll(by: Int.random(in: -40...40, using: &random))
        case 6: swapCells()
        case 7...8: endFrame()
        case 9...11: deliver()
        case 12: perform(released.setPolicy(ImageReusePolicy.allCases.randomElement(using: &random) ?? .cancel))
        case 13: if let item = cache.randomElement(using: &random) { cache.remove(item) }
        default: endSomeLoad()
        }
        check()
    }

    mutating func scroll(by rows: Int) {
        top = min(max(0, top + rows), Self.items - 1)
        let wanted = window
        let leaving = cells.indices.filter { cells[$0].item.map { !wanted.contains($0) } ?? false }.shuffled(
            using: &random)
        for index in leaving { unbind(index) }
        for item in wanted.shuffled(using: &random) where !cells.contains(where: { $0.item == item }) {
            guard let free = cells.indices.filter({ cells[$0].item == nil }).randomElement(using: &random) else {
                return
            }
            bind(free, item)
        }
    }

    /// Moves the item of one cell to a spare one, as grids do while they scroll.
    mutating func swapCells() {
        guard let from = cells.indices.filter({ cells[$0].item != nil }).randomElement(using: &random),
            let to = cells.indices.filter({ cells[$0].item == nil }).randomElement(using: &random),
            let item = cells[from].item
        else { return }
        let started = nextLoad
        let isRunning = cells[from].load != nil
        unbind(from)
        bind(to, item)
        if isRunning, nextLoad != started { problems.append("item \(item) was started again in the same frame") }
    }

    mutating func bind(_ index: Int, _ item: Int) {
        cells[index].item = item
        let step = cells[index].state.load(item, size: .points(width: 10, height: 10, scale: 1), rules: rules)
        perform(step, of: index)
    }

    mutating func unbind(_ index: Int) {
        cells[index].item = nil
        let step = cells[index].state.prepareForReuse()
        perform(step, of: index)
    }

    mutating func endSomeLoad() {
        let running = loads.filter { !$0.value.hasEnded && !$0.value.isCancelled && !$0.value.isPaused }.keys.sorted()
        guard let id = running.randomElement(using: &random) else { return }
        end(id)
    }

    mutating func end(_ id: Int) {
        guard let load = loads[id] else { return }
        cache.insert(load.item)
        loads[id]?.hasEnded = true
        if load.cell != nil { queue.add(id, id) { $0 = $1 } } else { perform(released.finish(id)) }
    }

    mutating func endFrame() {
        perform(released.frameEnded())
        queue.frameEnded()
        deliver()
    }

    mutating func deliver() {
        let (cells, loads) = (cells, loads)
        queue.beginTurn(now: now) { id in loads[id]?.cell.map { Double(cells[$0].item ?? 0) } }
        while let (id, _) = queue.next(now: now) {
            now += Moment.random(in: 0...3_000_000, using: &random)
            guard let load = self.loads[id], let index = load.cell, self.cells[index].load == id else {
                problems.append("delivered to a cell that had left")
                continue
            }
            self.cells[index].load = nil
            self.loads[id] = nil
            let step = self.cells[index].state.finish(load.number, size: Self.size, isFromMemory: false)
            if step.display == nil { problems.append("load \(id) was late for its own cell") }
            perform(step, of: index, image: load.item)
        }
        queue.endTurn(now: now)
    }

    mutating func drain() {
        scroll(by: 7)
        for _ in 0..<1_000 where !loads.isEmpty {
            for id in loads.filter({ !$0.value.hasEnded && !$0.value.isPaused }).keys.sorted() { end(id) }
            endFrame()
            perform(released.setPolicy(.cancel))
        }
        check()
        if !loads.isEmpty || !released.isEmpty { problems.append("left over: \(loads)") }
        for item in window where !cells.contains(where: { $0.item == item && $0.shown == item }) {
            problems.append("item \(item) is not shown")
        }
    }
}
