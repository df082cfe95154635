import FirnImage
import FirnTesting

@testable import FirnBinding
@testable import FirnPipeline

/// A world around the real `BindingState`: one cell is bound to items in any order, and results arrive at any time,
/// late, or never.
///
/// The model has the state that a user can observe: the item that the cell is bound to, the running requests by item,
/// and the screen.
struct BindingWorld: SeededWorld {
    typealias State = BindingState<Int>

    struct Screen: Equatable {
        var kind = DisplayedContent.Kind.nothing
        var item: Int?
    }

    var random: SeededGenerator
    var state = State()
    let rules: State.Rules

    // The model.
    var item: Int?
    var isAway = false
    var hasGivenUp = false
    var size = ImageDisplaySize.points(width: 100, height: 100, scale: 1)
    /// The item and the target size of every request ever started.
    var requests: [Int: (item: Int, target: PixelSize?)] = [:]
    var running: Int?
    /// Released requests, which may still get a result.
    var late: [Int] = []
    var cached: Set<Int> = []
    var screen = Screen()
    var problems: [String] = []
    var images = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        rules = State.Rules(
            placeholder: [.none, .some, .keep].randomElement(using: &random) ?? .none,
            hasFailure: Bool.random(using: &random), showsPreviews: Bool.random(using: &random),
            alwaysTransition: Bool.random(using: &random),
            mode: Bool.random(using: &random) ? .fit : .fill, margin: 0.25)
    }

    mutating func step() {
        switch Int.random(in: 0..<26, using: &random) {
        case 0...5: bind(Int.random(in: 0..<4, using: &random))
        case 6: bind(item ?? 0)
        case 7: unbind()
        case 8: perform(state.clear(), "clear") { $0.item = nil }
        case 9: perform(state.disappear(), "disappear") { $0.isAway = true }
        case 10: perform(state.appear(), "appear") { $0.isAway = false }
        case 11: perform(state.cancel(), "cancel") { $0.hasGivenUp = true }
        case 12: perform(state.retry(), "retry") { $0.hasGivenUp = $0.isAway && $0.hasGivenUp }
        case 13...14: resize()
        case 15...16: finishLate()
        case 17: if let running { preview(running) }
        case 18: if let running { fail(running, isCancelled: Bool.random(using: &random)) }
        case 19...20: refresh()
        default: if let running { finish(running, isFromMemory: false) }
        }
        check()
    }

    mutating func bind(_ new: Int) {
        perform(state.load(new, size: size, rules: rules), "bind \(new)") { world in
            world.item = new
            world.isAway = false
        }
    }

    /// Binds the item again although its image is outdated.
    mutating func refresh() {
        guard let item else { return }
        perform(state.load(item, size: size, rules: rules, isOutdated: true), "refresh \(item)") { world in
            world.isAway = false
            world.hasGivenUp = false
        }
        // A refresh starts a request wherever one can run.
        if !size.isPending, running == nil, state.phase != .displayed { problems.append("a refresh loads nothing") }
    }

    mutating func unbind() {
        let before = screen
        perform(state.prepareForReuse(), "unbind") { world in
            world.item = nil
            world.isAway = false
        }
        if screen != before { problems.append("an unbind changed the screen") }
    }

    mutating func resize() {
        size =
            [
                .unknown, .unlimited, .points(width: 100, height: 100, scale: 1),
                .points(width: 110, height: 100, scale: 1),
                .points(width: 300, height: 200, scale: 1), .points(width: 50, height: 50, scale: 2),
            ].randomElement(using: &random) ?? .unknown
        let size = size
        perform(state.resize(size), "resize \(size)") { _ in }
    }

    mutating func finish(_ number: Int, isFromMemory: Bool) {
        let target = requests[number]?.target
        // Some images have fewer pixels than requested.
        let most = requests[number]?.item == 3 ? 60 : 1_000
        let size = TargetSize(target ?? PixelSize(width: most, height: most), mode: rules.mode)
            .resolved(for: PixelSize(width: most, height: most))
        if let item = requests[number]?.item { cached.insert(item) }
        if running == number { running = nil }
        perform(state.finish(number, size: size, isFromMemory: isFromMemory), "finish \(number)", resultOf: number) {
            _ in
        }
    }

    mutating func fail(_ number: Int, isCancelled: Bool) {
        if running == number {
            running = nil
            hasGivenUp = true
        }
        perform(state.fail(number, isCancelled: isCancelled), "fail \(number)", resultOf: number) { _ in }
    }

    mutating func preview(_ number: Int) {
        perform(state.preview(number), "preview \(number)", resultOf: number) { _ in }
    }

    mutating func finishLate() {
        guard let number = late.randomElement(using: &random) else { return }
        let before = (screen, state.phase, running)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: preview(number)
        case 1: fail(number, isCancelled: false)
        default:
            finish(number, isFromMemory: false)
            late.removeAll { $0 == number }
        }
        if before != (screen, state.phase, running) { problems.append("a late result of \(number) changed something") }
    }
}
