import FirnBinding
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import TestSupport
import Testing

/// Tests how many pixels are loaded for a view.
@Suite(.timeLimit(.minutes(5))) @MainActor struct SizeTests {
    private func shown(_ label: PhotoLabel, _ fixture: BindingFixture, _ request: ImageRequest, times: Int = 1) async {
        await fixture.release(request)
        while label.kinds.count(where: { $0 == .image }) < times { await fixture.frames.turn() }
        fixture.frames.endFrame()
    }

    @Test func `The image has as many pixels as the view`() async {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        await shown(label, fixture, request)
        #expect(label.image?.size == PixelSize(width: 40, height: 30))
    }

    @Test func `A view without a size waits for one, and shows its placeholder meanwhile`() async {
        let fixture = BindingFixture(
            options: ImageLoadingOptions(placeholder: .color(SRGBColor(red: 0, green: 0, blue: 0))))
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.width = 0
        label.photo = request
        #expect(label.kinds == [.placeholder])
        #expect(!label.binding.phase.isLoading)
        label.width = 40
        label.layoutChanged()
        #expect(label.kinds == [.placeholder])
        await shown(label, fixture, request)
        #expect(label.image?.size == PixelSize(width: 40, height: 30))
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A larger image is loaded only when the view has grown by more than the margin`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(transition: .fadeIn))
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        await shown(label, fixture, request)
        (label.width, label.height) = (48, 36)
        label.layoutChanged()
        (label.width, label.height) = (20, 15)
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
        _ = fixture.held("a")
        (label.width, label.height) = (52, 39)
        label.layoutChanged()
        #expect(label.binding.phase.isLoading)
        _ = await fixture.loader.waitForRequest(request.description, number: 2)
        await shown(label, fixture, request, times: 2)
        #expect(label.image?.size == PixelSize(width: 52, height: 39))
        #expect(label.drawn == ["faded", "drawn"])
    }

    @Test func `A view that has shrunk below half of its image gets a smaller one, once`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(transition: .fadeIn))
        let (label, request) = (fixture.label(), fixture.held("a"))
        (label.width, label.height) = (400, 300)
        label.photo = request
        await shown(label, fixture, request)
        (label.width, label.height) = (200, 150)
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
        (label.width, label.height) = (90, 67.5)
        label.layoutChanged()
        while label.kinds.count < 2 { await fixture.frames.turn() }
        #expect(label.image?.size == PixelSize(width: 90, height: 68))
        #expect(label.drawn == ["faded", "drawn"])
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
        // It was made of the larger image, which is still in memory for a view that grows again.
        #expect(fixture.loader.requests.count == 1)
        (label.width, label.height) = (400, 300)
        label.layoutChanged()
        #expect(label.image?.size == PixelSize(width: 400, height: 300))
    }

    @Test func `A view that shrinks while its image loads gets the smaller image alone`() async {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        (label.width, label.height) = (400, 300)
        label.photo = request
        (label.width, label.height) = (40, 30)
        label.layoutChanged()
        await shown(label, fixture, request)
        #expect(label.kinds == [.image])
        #expect(label.image?.size == PixelSize(width: 40, height: 30))
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A processor that enlarges does not make a small view request again and again`() async {
        let fixture = BindingFixture()
        let label = fixture.label()
        var request = fixture.held("a")
        request.processors = [
            ImageProcessors.Pad(right: 1), ImageProcessors.Resize(width: 400, upscale: true),
        ]
        label.photo = request
        await shown(label, fixture, request)
        #expect(label.image?.size.width == 400)
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
    }

    @Test func `An image without more pixels is not requested again`() async {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a", size: PixelSize(width: 30, height: 20)))
        label.photo = request
        await shown(label, fixture, request)
        (label.width, label.height) = (400, 300)
        label.layoutChanged()
        #expect(!label.binding.phase.isLoading)
        #expect(label.kinds == [.image])
    }

    @Test func `A smaller image in memory is shown in the same call, until the larger one is loaded`() async {
        let fixture = BindingFixture(
            options: ImageLoadingOptions(
                placeholder: .color(SRGBColor(red: 0, green: 0, blue: 0)), transition: .fadeIn))
        let (small, large, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        small.photo = request
        await shown(small, fixture, request)
        (large.width, large.height) = (80, 60)
        large.photo = fixture.held("a")
        #expect(large.kinds == [.preview])
        #expect(large.image?.size == PixelSize(width: 40, height: 30))
        _ = await fixture.loader.waitForRequest(request.description, number: 2)
        await shown(large, fixture, request)
        #expect(large.image?.size == PixelSize(width: 80, height: 60))
        #expect(large.drawn.last == "drawn")
    }

    @Test func `A request with its own target size is not changed`() async {
        let fixture = BindingFixture()
        let label = fixture.label()
        var request = fixture.held("a")
        request.targetSize = TargetSize(width: 8, height: 6)
        label.photo = request
        await shown(label, fixture, request)
        (label.width, label.height) = (400, 300)
        label.layoutChanged()
        #expect(label.image?.size == PixelSize(width: 8, height: 6))
        #expect(!label.binding.phase.isLoading)
    }

    @Test(arguments: [
        (ImageDisplaySize.points(width: 10.2, height: 20, scale: 1.5), PixelSize(width: 16, height: 30) as PixelSize?),
        (.points(width: 10, height: 0, scale: 2), nil as PixelSize?),
        (.points(width: .nan, height: 1, scale: 1), nil as PixelSize?),
        (.points(width: 1e300, height: 1, scale: 1), PixelSize(width: 1 << 30, height: 1) as PixelSize?),
        (.unknown, nil as PixelSize?),
        (.unlimited, nil as PixelSize?),
    ])
    func `Points become whole pixels`(size: ImageDisplaySize, pixels: PixelSize?) { #expect(size.pixels == pixels) }
}
