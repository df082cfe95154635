import FirnBinding
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests cells that are bound and unbound while their images load.
@Suite(.timeLimit(.minutes(5))) @MainActor struct ReuseTests {
    @Test func `The next cell with the same image takes over the running request`() async {
        let fixture = BindingFixture(policy: .cancel)
        let cells = (0..<5).map { _ in fixture.label() }
        let request = fixture.held("a")
        for (index, cell) in cells.enumerated() {
            if index > 0 { cells[index - 1].binding.prepareForReuse() }
            cell.photo = request
        }
        fixture.frames.endFrame()
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(cells.map { $0.contents.count } == [0, 0, 0, 0, 1])
        #expect(fixture.loader.requests.count == 1)
        #expect(fixture.loader.requests.record.cancelled.isEmpty)
        #expect(fixture.context.statistics.takenOver == 4)
        #expect(fixture.context.unclaimedCount == 0)
    }

    @Test func `An image that arrives between two cells is shown by the second at once, with or without a cache`() async
    {
        let fixture = BindingFixture(memory: false)
        let (first, second, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        first.photo = request
        first.binding.prepareForReuse()
        await fixture.release(request)
        await fixture.frames.turn()
        second.photo = request
        #expect(second.kinds == [.image])
        #expect(first.contents.isEmpty)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Under cancel, requests that were not taken over end with the frame`() async {
        let fixture = BindingFixture(policy: .cancel)
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        _ = await fixture.loader.waitForRequest(request.description)
        label.binding.prepareForReuse()
        #expect(fixture.loader.requests.record.cancelled.isEmpty)
        fixture.frames.endFrame()
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [request.description] }
        #expect(fixture.context.unclaimedCount == 0)
    }

    /// Binds a request to a label and releases the label before the image arrives.
    private func released(_ fixture: BindingFixture) -> (PhotoLabel, ImageRequest, ImageTask?) {
        let (label, request) = (fixture.label(), fixture.held("a"))
        var task: ImageTask?
        label.binding.onStart = { task = $0 }
        label.photo = request
        label.binding.prepareForReuse()
        fixture.frames.endFrame()
        return (label, request, task)
    }

    @Test func `Under finish, the image enters the cache`() async {
        let fixture = BindingFixture(policy: .finish)
        let (label, request, task) = released(fixture)
        #expect(task?.priority == .veryLow)
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(fixture.context.unwantedCount == 1)
        #expect(fixture.context.unclaimedCount == 0)
        label.photo = request
        #expect(label.kinds == [.image])
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Under pause, the request pauses and resumes in the next cell that shows its image`() async {
        let fixture = BindingFixture(policy: .pause)
        let (first, second, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        var task: ImageTask?
        first.binding.onStart = { task = $0 }
        first.photo = request
        _ = await fixture.loader.waitForRequest(request.description)
        first.binding.prepareForReuse()
        fixture.frames.endFrame()
        #expect(task?.isPaused == true)
        #expect(fixture.context.unclaimedCount == 1)
        second.photo = request
        #expect(task?.isPaused == false)
        #expect(task?.priority == .normal)
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(second.kinds == [.image])
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A change of the policy applies to requests that were released before`() async {
        let fixture = BindingFixture(policy: .pause)
        let (label, _, task) = released(fixture)
        fixture.context.policy = .finish
        #expect(task?.isPaused == false)
        fixture.context.policy = .cancel
        #expect(task?.state == .cancelled)
        #expect(fixture.context.unclaimedCount == 0)
        withExtendedLifetime(label) {}
    }

    @Test func `A view that leaves the screen and returns keeps its image, or resumes its request`() async {
        let fixture = BindingFixture(policy: .cancel)
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        label.binding.disappear()
        fixture.frames.endFrame()
        #expect(!label.binding.phase.isLoading)
        label.binding.appear()
        #expect(label.binding.phase.isLoading)
        await fixture.release(request)
        while label.contents.isEmpty { await fixture.frames.turn() }
        label.binding.disappear()
        label.binding.appear()
        fixture.frames.endFrame()
        #expect(label.kinds == [.image])
    }

    @Test func `A released binding releases its request`() async {
        let fixture = BindingFixture(policy: .cancel)
        var label: PhotoLabel? = fixture.label()
        let request = fixture.held("a")
        label?.photo = request
        _ = await fixture.loader.waitForRequest(request.description)
        label = nil
        fixture.frames.endFrame()
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [request.description] }
    }

    @Test func `A released context cancels its paused requests`() async {
        var fixture: BindingFixture? = BindingFixture(policy: .pause)
        let loader = fixture?.loader
        let request = fixture?.held("a")
        var label = fixture?.label()
        label?.photo = request
        _ = await loader?.waitForRequest(request?.description ?? "")
        label?.binding.prepareForReuse()
        fixture?.frames.endFrame()
        label = nil
        fixture = nil
        await loader?.requests.wait { $0.cancelled.count == 1 }
    }

    @Test func `A view that is not visible loads with the priority of prefetching`() {
        let fixture = BindingFixture()
        let label = fixture.label()
        var task: ImageTask?
        label.binding.onStart = { task = $0 }
        label.binding.visibility = 0
        label.photo = fixture.held("a")
        #expect(task?.priority == .low)
        label.binding.visibility = 0.2
        #expect(task?.priority == .normal)
        label.binding.visibility = 0
        #expect(task?.priority == .low)
    }
}
