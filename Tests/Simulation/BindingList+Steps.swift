import FirnImage
import FirnTesting

@testable import FirnBinding
@testable import FirnPipeline

extension BindingList {
    mutating func perform(_ step: BindingState<Int>.Step, of index: Int, image: Int? = nil) {
        let former = cells[index].load
        if step.start != nil || step.release != nil { cells[index].load = nil }
        if let start = step.start { begin(start.number, index) }
        if step.release != nil {
            guard let former else { return problems.append("cell \(index) had nothing to release") }
            release(former)
        }
        switch step.display {
        case .image: show(image, index)
        case .placeholder, .nothing: show(nil, index)
        case .preview, .failure: problems.append("nobody made that")
        case nil: break
        }
    }

    private mutating func begin(_ number: Int, _ index: Int) {
        guard let item = cells[index].item else { return problems.append("cell \(index) loads for no item") }
        if let claimed = released.claim(item) {
            guard let load = loads[claimed.id], !load.isCancelled, load.item == item, load.cell == nil else {
                return problems.append("took over what is not there: \(claimed)")
            }
            if load.isPaused != claimed.isPaused { problems.append("load \(claimed.id) is paused or not") }
            takenOver += 1
            loads[claimed.id]?.isPaused = false
            if load.hasEnded {
                loads[claimed.id] = nil
                return finish(number, index, item)
            }
            loads[claimed.id]?.cell = index
            loads[claimed.id]?.number = number
            cells[index].load = claimed.id
        } else if cache.contains(item) {
            return finish(number, index, item)
        } else {
            if loads.values.contains(where: { $0.item == item && $0.cell == nil && !$0.isCancelled }) {
                problems.append("item \(item) was started while it was under way")
            }
            nextLoad += 1
            loads[nextLoad] = Load(item: item, cell: index, number: number)
            cells[index].load = nextLoad
        }
        let step = cells[index].state.wait(number)
        perform(step, of: index)
    }

    private mutating func finish(_ number: Int, _ index: Int, _ item: Int) {
        let step = cells[index].state.finish(number, size: Self.size, isFromMemory: true)
        perform(step, of: index, image: item)
    }

    private mutating func release(_ id: Int) {
        guard loads[id] != nil else { return problems.append("released a load twice") }
        loads[id]?.cell = nil
        queue.remove(id)
        perform(released.add(id, key: loads[id]?.item ?? -1, hasEnded: loads[id]?.hasEnded ?? false))
    }

    mutating func perform(_ actions: [ReleasedLoads<Int, Int>.Action]) {
        for action in actions {
            switch action {
            case .cancel(let id):
                guard let load = loads.removeValue(forKey: id) else {
                    problems.append("cancelled what is not there")
                    continue
                }
                if load.cell != nil { problems.append("cancelled what a cell waits for") }
            case .lower(let id): change(id) { _ in }
            case .pause(let id): change(id) { $0.isPaused = true }
            case .resume(let id): change(id) { $0.isPaused = false }
            case .forget(let id):
                if loads[id]?.hasEnded != true { problems.append("forgot what goes on") }
                loads[id] = nil
            }
        }
    }

    private mutating func change(_ id: Int, _ body: (inout Load) -> Void) {
        guard var load = loads[id], !load.hasEnded else { return problems.append("changed what is over") }
        body(&load)
        loads[id] = load
    }

    private mutating func show(_ image: Int?, _ index: Int) {
        let former = cells[index].shown
        cells[index].shown = image
        if let image {
            images += 1
            if image != cells[index].item { problems.append("a wrong image: \(image)") }
        } else if former != nil, former == cells[index].item {
            problems.append("cell \(index) flickered")
        }
    }

    mutating func check() {
        for (index, cell) in cells.enumerated() {
            if let item = cell.item, let shown = cell.shown, shown != item {
                problems.append("cell \(index) shows \(shown)")
            }
            if cell.item != nil, cell.load == nil, cell.shown != cell.item {
                problems.append("cell \(index) waits for nothing")
            }
            if let load = cell.load, loads[load]?.cell != index {
                problems.append("cell \(index) waits for another's load")
            }
        }
        let unclaimed = loads.values.filter { $0.cell == nil }.count
        if unclaimed != released.count { problems.append("\(unclaimed) loads without a cell, \(released.count) known") }
        let paused = loads.values.filter(\.isPaused).count
        if paused > pausedLimit { problems.append("\(paused) paused") }
    }
}
