import FirnBinding
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) @MainActor struct ViewBindingTests {
    private let small = PixelSize(width: 20, height: 20)
    private let gray = ImagePlaceholder.color(SRGBColor(red: 1, green: 2, blue: 3))

    @Test func `A view shows its placeholder, and then the image with its transition`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(placeholder: gray, transition: .fadeIn))
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        #expect(label.kinds == [.placeholder])
        #expect(label.background == "#010203")
        #expect(label.binding.phase.isLoading)
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(label.kinds == [.placeholder, .image])
        #expect(label.drawn == ["drawn", "faded"])
        #expect(label.background == "none")
        #expect(label.image?.size == PixelSize(width: 40, height: 30))
        #expect(label.binding.phase.response != nil)
    }

    @Test func `Images appear without a transition while a list scrolls fast, and with it at rest`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(placeholder: gray, transition: .fadeIn))
        let labels = [fixture.label(), fixture.label()]
        fixture.context.isInMotion = true
        for (label, name) in zip(labels, ["passed", "stopped at"]) {
            let request = fixture.held(name)
            label.photo = request
            await fixture.release(request)
            await fixture.frames.turn()
            fixture.context.isInMotion = false
        }
        #expect(labels[0].drawn == ["drawn", "drawn"])
        #expect(labels[1].drawn == ["drawn", "faded"])
    }

    @Test func `An image in memory is shown in the same call, at once (F6)`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(placeholder: gray, transition: .fadeIn))
        let (first, second, request) = (fixture.label(), fixture.label(), fixture.held("a"))
        first.photo = request
        await fixture.release(request)
        await fixture.frames.turn()
        second.photo = request
        #expect(second.kinds == [.image])
        #expect(second.drawn == ["drawn"])
        #expect(fixture.frames.callCount == 1)
        #expect(fixture.context.statistics.memoryHits == 1)
    }

    @Test func `The same request again does nothing`() async {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        label.photo = request
        await fixture.release(request)
        await fixture.frames.turn()
        label.photo = request
        #expect(label.kinds == [.image])
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A late result is never shown (F5)`() async {
        let fixture = BindingFixture(policy: .finish)
        let label = fixture.label()
        let (former, later) = (fixture.held("a"), fixture.held("b", size: small))
        label.photo = former
        label.photo = later
        await fixture.release(former)
        await fixture.release(later)
        while label.contents.isEmpty { await fixture.frames.turn() }
        #expect(label.kinds == [.image])
        #expect(label.image?.size == small)
    }

    @Test func `A failure shows the failure image, and a retry loads again`() async {
        var options = ImageLoadingOptions(placeholder: gray, failureImage: .color(.init(red: 255, green: 0, blue: 0)))
        options.isProgressiveRenderingEnabled = false
        let fixture = BindingFixture(options: options)
        let (label, request) = (fixture.label(), fixture.held("a"))
        fixture.loader.fail(request.description, with: DataLoadingError(.status(500), "out of order"))
        var results: [Bool] = []
        label.binding.onCompletion = { if case .success = $0 { results.append(true) } else { results.append(false) } }
        label.photo = request
        await fixture.release(request)
        await fixture.frames.turn()
        #expect(label.kinds == [.placeholder, .failure])
        #expect(label.background == "#FF0000")
        #expect(label.binding.phase.error?.statusCode == 500)
        #expect((label.binding.phase.error?.underlying as? DataLoadingError)?.cause == .status(500))
        label.photo = request
        #expect(label.kinds.count == 2)

        _ = fixture.held("a")
        label.binding.retry()
        #expect(label.kinds == [.placeholder, .failure, .placeholder])
        _ = await fixture.loader.waitForRequest(request.description, number: 2)
        fixture.loader.release(request.description)
        await fixture.frames.turn()
        #expect(label.kinds.last == .image)
        #expect(results == [false, true])
    }

    @Test func `The keep placeholder keeps the shown content`() async {
        let fixture = BindingFixture(options: ImageLoadingOptions(placeholder: .keep))
        let label = fixture.label()
        let (first, second) = (fixture.held("a"), fixture.held("b", size: small))
        label.photo = first
        await fixture.release(first)
        await fixture.frames.turn()
        label.photo = second
        #expect(label.kinds == [.image])
        await fixture.release(second)
        await fixture.frames.turn()
        #expect(label.kinds == [.image, .image])
        #expect(label.image?.size == small)
    }

    @Test func `A hash shows its image, and a damaged one an empty view`() {
        let fixture = BindingFixture()
        let (good, bad) = (fixture.label(), fixture.label())
        good.binding.load(
            fixture.held("a"), options: ImageLoadingOptions(placeholder: .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")))
        #expect(good.image?.size == PixelSize(width: 32, height: 32))
        bad.binding.load(fixture.held("b"), options: ImageLoadingOptions(placeholder: .blurHash("LEHV6n")))
        #expect(bad.kinds == [.placeholder])
        #expect(bad.image == nil)
    }

    @Test func `An empty request empties the view`() async {
        let fixture = BindingFixture()
        let (label, request) = (fixture.label(), fixture.held("a"))
        label.photo = request
        await fixture.release(request)
        await fixture.frames.turn()
        label.photo = nil
        #expect(label.kinds == [.image, .nothing])
        if case .empty = label.binding.phase {} else { Issue.record("\(label.binding.phase)") }
    }

    @Test func `Progress is reported to its handler, and not after the end`() async {
        let fixture = BindingFixture()
        let label = fixture.label()
        let request = fixture.request("a")
        fixture.loader.respondByHand(to: request.description)
        var seen: [Int] = []
        label.binding.onProgress = { seen.append($0.completed) }
        label.photo = request
        let transfer = await fixture.loader.waitForRequest(request.description)
        let body = ScriptedDecoder.image(PixelSize(width: 400, height: 300))
        transfer.respond()
        transfer.send(body)
        await fixture.frames.turn()
        #expect(seen == [body.count])
        transfer.finish()
        while label.contents.isEmpty { await fixture.frames.turn() }
        #expect(seen == [body.count])
    }
}
