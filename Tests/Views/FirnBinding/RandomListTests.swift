import FirnBinding
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests a list of reused cells over the real pipeline: scrolled, rebound and resized in any order while responses come
/// from other threads. The height of every image identifies its item.
@Suite(.timeLimit(.minutes(5))) @MainActor struct RandomListTests {
    private static let items = 40

    private final class Cell: ImageDisplaying {
        let context: BindingContext
        private(set) lazy var binding = ViewBinding(view: self, context: context)
        var item: Int?
        var shown: Int?
        var kind = DisplayedContent.Kind.nothing
        var wrong = 0
        var flickers = 0

        init(context: BindingContext) { self.context = context }

        func display(_ content: DisplayedContent) {
            let (formerKind, former) = (kind, shown)
            kind = content.kind
            shown = content.kind == .image ? content.image.map { $0.size.height - 1 } : nil
            if kind == .image, shown != item { wrong += 1 }
            if formerKind == .image, former == item, kind != .image { flickers += 1 }
        }
    }

    @Test(arguments: 0..<24)
    func `In random runs of a list no cell shows a wrong image, and each shows its own in the end (F4)`(
        seed: Int
    ) async {
        var random = SeededGenerator(seed: UInt64(seed))
        let fixture = BindingFixture(memory: seed % 3 != 0, policy: ImageReusePolicy.allCases[seed % 3], pausedLimit: 6)
        var options = ImageLoadingOptions(placeholder: .color(SRGBColor(red: 9, green: 9, blue: 9)))
        options.isResizingEnabled = false
        fixture.context.options = options
        fixture.context.frameBudget = .microseconds(Int.random(in: 0...4_000, using: &random))
        let requests = (0..<Self.items).map { fixture.request("\($0)", size: PixelSize(width: 3, height: $0 + 1)) }
        let broken = requests[7].description
        fixture.loader.fail(broken, with: DataLoadingError(.status(404), "not found"))
        let cells = (0..<8).map { _ in Cell(context: fixture.context) }

        for _ in 0..<400 {
            let cell = cells[Int.random(in: 0..<cells.count, using: &random)]
            switch Int.random(in: 0..<16, using: &random) {
            case 0...5:
                let item = Int.random(in: 0..<Self.items, using: &random)
                if Bool.random(using: &random) { fixture.loader.hold(requests[item].description) }
                cell.item = item
                cell.binding.load(requests[item])
            case 6...7:
                // The item moves to another cell, as in lists that scroll.
                let other = cells[Int.random(in: 0..<cells.count, using: &random)]
                guard let item = cell.item, other !== cell else { continue }
                cell.item = nil
                cell.binding.prepareForReuse()
                other.item = item
                other.binding.load(requests[item])
            case 8:
                cell.item = nil
                cell.binding.prepareForReuse()
            case 9: cell.binding.disappear()
            case 10: cell.binding.appear()
            case 11: cell.binding.visibility = Double.random(in: 0...1, using: &random).rounded()
            case 12: fixture.context.policy = ImageReusePolicy.allCases.randomElement(using: &random) ?? .cancel
            case 13: fixture.loader.release(requests[Int.random(in: 0..<Self.items, using: &random)].description)
            case 14: fixture.frames.endFrame()
            default: fixture.frames.turnNow()
            }
            if Int.random(in: 0..<10, using: &random) == 0 { await Task.yield() }
        }

        for (index, cell) in cells.enumerated() {
            cell.item = index
            cell.binding.load(requests[index])
        }
        fixture.frames.endFrame()
        while cells.contains(where: { $0.binding.phase.isLoading }) {
            for request in requests { fixture.loader.release(request.description) }
            await Task.yield()
            fixture.frames.turnNow()
            fixture.frames.endFrame()
        }
        for (index, cell) in cells.enumerated() where index != 7 { #expect(cell.shown == index, "seed \(seed)") }
        #expect(cells[7].binding.phase.error?.statusCode == 404)
        #expect(cells.map(\.wrong) == cells.map { _ in 0 }, "seed \(seed)")
        #expect(cells.map(\.flickers) == cells.map { _ in 0 }, "seed \(seed)")
        #expect(fixture.context.statistics.takenOver > 0)
        fixture.context.policy = .cancel
        #expect(fixture.context.unclaimedCount == 0)
    }
}
