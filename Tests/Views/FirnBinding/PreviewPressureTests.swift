import FirnImage
import FirnTesting
import TestSupport
import Testing

@testable import FirnBinding
@testable import FirnPipeline

@Suite(.timeLimit(.minutes(5))) @MainActor struct PreviewPressureTests {
    @Test func `No preview is made while the last one waits for the drawing thread`() async throws {
        let fixture = BindingFixture()
        let label = fixture.label()
        label.photo = fixture.held("a")
        let task = try #require(label.binding.load?.task)
        #expect(task.wantsPreview)
        try preview(1, of: task)
        #expect(!task.wantsPreview)
        await fixture.frames.turn()
        #expect(label.kinds == [.preview])
        #expect(task.wantsPreview)
        label.binding.clear()
    }

    @Test func `A preview for a view that has gone away delays no other`() async throws {
        let fixture = BindingFixture(policy: .finish)
        let (former, later, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        former.photo = request
        let task = try #require(former.binding.load?.task)
        try preview(1, of: task)
        former.binding.prepareForReuse()
        later.photo = request
        #expect(later.binding.load?.task === task)
        #expect(task.wantsPreview)
        later.binding.clear()
    }

    private func preview(_ width: Int, of task: ImageTask) throws {
        task.pass(.preview(try TaskFixture.response(width, isPreview: true)))
    }
}
