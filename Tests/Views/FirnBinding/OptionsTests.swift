import FirnBinding
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests a change of options while a request runs or its image is shown.
@Suite(.timeLimit(.minutes(5))) @MainActor struct OptionsTests {
    private let gray = ImageLoadingOptions(placeholder: .color(SRGBColor(red: 1, green: 2, blue: 3)))
    private let red = ImageLoadingOptions(placeholder: .color(SRGBColor(red: 255, green: 0, blue: 0)))

    @Test func `Another placeholder replaces the shown one`() async {
        let fixture = BindingFixture(options: gray)
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        #expect(label.background == "#010203")
        label.binding.load(request, options: red)
        #expect(label.background == "#FF0000")
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(label.kinds == [.placeholder, .placeholder, .image])
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A placeholder is shown in an empty view`() {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        #expect(label.kinds.isEmpty)
        label.binding.load(request, options: red)
        #expect(label.background == "#FF0000")
        label.binding.clear()
    }

    @Test
    func `A new content mode applies to the shown image without a transition or a load`()
        async
    {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        await fixture.release(request)
        await fixture.frames.turn()
        var options = ImageLoadingOptions(transition: .fadeIn)
        options.contentMode = .fill
        label.binding.load(request, options: options)
        #expect(label.contents.map(\.contentMode) == [.fit, .fill])
        #expect(label.drawn == ["drawn", "drawn"])
        #expect(!label.binding.phase.isLoading)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `The same options again change nothing`() {
        let fixture = BindingFixture(options: gray)
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        label.binding.load(request, options: gray)
        label.binding.load(request)
        #expect(label.kinds == [.placeholder])
        label.binding.clear()
    }
}
