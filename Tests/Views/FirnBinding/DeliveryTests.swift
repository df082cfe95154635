import FirnImage
import FirnTesting
import TestSupport
import Testing

@testable import FirnBinding
@testable import FirnPipeline

/// Tests many images that arrive together.
@Suite(.timeLimit(.minutes(5))) @MainActor struct DeliveryTests {
    /// Returns labels whose images have arrived and wait for the drawing thread.
    private func arrived(_ fixture: BindingFixture, _ count: Int) async -> [PhotoLabel] {
        var options = ImageLoadingOptions()
        options.isProgressiveRenderingEnabled = false
        fixture.context.options = options
        let labels = (0..<count).map { _ in fixture.label() }
        let requests = (0..<count).map { fixture.held("\($0)") }
        let (ends, end) = AsyncStream<Void>.makeStream()
        for (label, request) in zip(labels, requests) {
            // Order: notified after the binding, which listens from the start.
            label.binding.onStart = { $0.onEnd { _ in end.yield() } }
            label.photo = request
        }
        for request in requests { await fixture.release(request) }
        var left = count
        for await _ in ends {
            left -= 1
            if left == 0 { break }
        }
        return labels
    }

    @Test func `Many images call the drawing thread once`() async {
        let fixture = BindingFixture()
        let labels = await arrived(fixture, 12)
        #expect(fixture.frames.callCount == 1)
        #expect(labels.allSatisfy { $0.contents.isEmpty })
        await fixture.frames.turn()
        #expect(labels.allSatisfy { $0.kinds == [.image] })
        #expect(fixture.context.statistics.turns == 1)
    }

    @Test func `A frame delivers as many images as its budget allows, the most visible first`() async {
        let fixture = BindingFixture()
        let labels = await arrived(fixture, 5)
        for (index, label) in labels.enumerated() {
            label.binding.visibility = Double(index) / 10
            let clock = fixture.clock
            label.binding.onCompletion = { _ in clock.advance(by: .milliseconds(3)) }
        }
        func shown() -> [Int] { labels.indices.filter { !labels[$0].contents.isEmpty } }
        await fixture.frames.turn()
        #expect(shown() == [3, 4])
        fixture.frames.turnNow()
        #expect(shown() == [3, 4])
        fixture.frames.endFrame()
        #expect(shown() == [1, 2, 3, 4])
        fixture.frames.endFrame()
        #expect(shown() == [0, 1, 2, 3, 4])
        #expect(fixture.context.statistics.postponements == 2)
    }

    @Test func `Nothing is delivered to a view that has released its request`() async {
        let fixture = BindingFixture(policy: .finish)
        let labels = await arrived(fixture, 4)
        labels[1].binding.prepareForReuse()
        labels[2].photo = fixture.held("x")
        await fixture.frames.turn()
        fixture.frames.endFrame()
        #expect(labels.map { $0.contents.count } == [1, 0, 0, 1])
        #expect(fixture.context.statistics.deliveries == 2)
    }
}
