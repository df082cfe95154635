import FirnImage
import FirnTesting

@testable import FirnBinding
@testable import FirnPipeline

extension BindingWorld {
    /// Performs a step as the shell does: start, release, display.
    mutating func perform(
        _ step: State.Step, _ event: String, resultOf number: Int? = nil, _ change: (inout BindingWorld) -> Void
    ) {
        let former = item
        change(&self)
        if former != item { hasGivenUp = false }
        let old = running
        if let release = step.release {
            if let old { late.append(old) } else { problems.append("\(event): nothing to release (\(release))") }
            running = nil
        }
        if let display = step.display { show(display, event, number) }
        guard let start = step.start else { return }
        if running != nil { problems.append("\(event): started a second request") }
        if requests[start.number] != nil { problems.append("\(event): a number used twice") }
        guard let item else {
            problems.append("\(event): started for no item")
            return
        }
        if isAway { problems.append("\(event): started out of sight") }
        requests[start.number] = (item, start.target)
        running = start.number
        hasGivenUp = false
        if cached.contains(item), Bool.random(using: &random) {
            finish(start.number, isFromMemory: true)
        } else {
            perform(state.wait(start.number), "\(event), wait") { _ in }
        }
    }

    private mutating func show(_ display: State.Step.Display, _ event: String, _ number: Int?) {
        let former = screen
        let source = number.flatMap { requests[$0]?.item }
        switch display {
        case .nothing: screen = Screen()
        case .placeholder: screen = Screen(kind: .placeholder, item: item)
        case .failure: screen = Screen(kind: .failure, item: source)
        case .preview: screen = Screen(kind: .preview, item: source)
        case .image(let fades):
            screen = Screen(kind: .image, item: source)
            images += 1
            if fades, former.item == source, former.kind == .image || former.kind == .preview {
                problems.append("\(event): faded an image over itself")
            }
        }
        if number != nil, screen.item != nil, screen.item != item { problems.append("\(event): a wrong image") }
        let isLess = screen.kind == .placeholder || screen.kind == .nothing
        if isLess, former.kind == .image || former.kind == .preview, former.item == item, item != nil {
            problems.append("\(event): flickered from \(former.kind) to \(screen.kind)")
        }
        if former.kind == .image, former.item == item, screen.kind == .preview || screen.kind == .failure {
            problems.append("\(event): an image gave way to a \(screen.kind)")
        }
    }

    mutating func check() {
        if (state.phase == .loading) != (running != nil) {
            problems.append("\(state.phase), but runs: \(running ?? -1)")
        }
        if let running, requests[running]?.item != item { problems.append("loads another item") }
        if state.shown.kind != screen.kind { problems.append("thinks \(state.shown.kind), shows \(screen.kind)") }
        if rules.placeholder != .keep, item != nil, screen.item != nil, screen.item != item {
            problems.append("shows \(screen) while bound to \(item ?? -1)")
        }
        // A visible cell that has a size and has not failed has its image or is loading it.
        if item != nil, !isAway, !hasGivenUp, !size.isPending, state.phase != .loading, state.phase != .displayed {
            problems.append("nobody loads: \(state.phase)")
        }
        if state.phase == .displayed, screen != Screen(kind: .image, item: item) {
            problems.append("displayed, but shows \(screen)")
        }
    }

    /// Completes all work: the cell is visible and has a size, and responses arrive.
    mutating func drain() {
        size = .points(width: 100, height: 100, scale: 1)
        perform(state.resize(size), "drain") { _ in }
        bind(1)
        bind(2)
        check()
        while let number = running { finish(number, isFromMemory: false) }
        check()
        if screen != Screen(kind: .image, item: 2) { problems.append("ended with \(screen)") }
    }
}
