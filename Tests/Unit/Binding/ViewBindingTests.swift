import FirnImage
import FirnPipeline
import FirnTesting
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct ViewBindingTests {
    @Test func `A view shows its placeholder, and then the picture with its transition`() async {
        let fixture = BindingFixture(
            options: ImageLoadingOptions(
                placeholder: .color(SRGBColor(red: 1, green: 2, blue: 3)), transition: .fadeIn))
        let label = fixture.label()
        label.photo = fixture.request("a")
        #expect(label.kinds == [.placeholder])
        #expect(label.background == "#010203")
        #expect(label.binding.phase.isLoading)
        await fixture.frames.turn()
        #expect(label.kinds == [.placeholder, .picture])
        #expect(label.drawn == ["drawn", "faded"])
        #expect(label.picture?.size == PixelSize(width: 40, height: 30))
        #expect(label.binding.phase.response != nil)
    }

    @Test func `A picture in memory is shown in the same call, at once`() async {
        let fixture = BindingFixture(
            options: ImageLoadingOptions(placeholder: .color(.init(red: 0, green: 0, blue: 0)), transition: .fadeIn))
        let (first, second) = (fixture.label(), fixture.label())
        first.photo = fixture.request("a")
        await fixture.frames.turn()
        let calls = fixture.frames.callCount
        second.photo = fixture.request("a")
        #expect(second.kinds == [.picture])
        #expect(second.drawn == ["drawn"])
        #expect(fixture.frames.callCount == calls)
    }

    @Test func `The same request again does nothing`() async {
        let fixture = BindingFixture()
        let label = fixture.label()
        label.photo = fixture.held("a")
        label.photo = fixture.request("a")
        await fixture.release(fixture.request("a"))
        await fixture.frames.turn()
        label.photo = fixture.request("a")
        #expect(label.kinds == [.picture])
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `What is answered late is never shown`() async {
        let fixture = BindingFixture(policy: .finish)
        let label = fixture.label()
        let (former, later) = (fixture.held("a"), fixture.held("b", size: PixelSize(width: 20, height: 20)))
        label.photo = former
        label.photo = later
        await fixture.release(former)
        await fixture.release(later)
        await fixture.frames.turn()
        while label.contents.isEmpty { await fixture.frames.turn() }
        #expect(label.kinds == [.picture])
        #expect(label.picture?.size == PixelSize(width: 20, height: 20))
    }
}
