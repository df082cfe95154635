#if SVG
import FirnBinding
import FirnCache
import FirnCodecs
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests that views show drawings with as many pixels as they have.
@Suite(.timeLimit(.minutes(5))) @MainActor struct VectorViewTests {
    private let frames = ManualFrames()
    private let context: BindingContext
    private static let text =
        "<svg xmlns='http://www.w3.org/2000/svg' width='24' height='12'><circle cx='9' cy='6' r='5'/></svg>"

    init() {
        let files = InMemoryFileSystem()
        files["/icon.svg"] = Data(VectorViewTests.text.utf8)
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: ImageDecoders.standard)
        configuration.files = files
        configuration.imageCache = ImageCache()
        context = BindingContext(pipeline: ImagePipeline(configuration: configuration), frames: frames)
    }

    /// A view whose screen has two pixels to the point.
    private final class FineView: ImageDisplaying {
        var width = 240.0
        var sizes: [PixelSize] = []
        var displaySize: ImageDisplaySize { .points(width: width, height: width, scale: 2) }

        func display(_ content: DisplayedContent) {
            if content.kind == .image, let image = content.image { sizes.append(image.size) }
        }
    }

    private func shown(_ view: FineView, _ count: Int) async {
        while view.sizes.count < count { await frames.turn() }
        frames.endFrame()
    }

    @Test func `an icon has the pixels of its view, and is rendered again when that grows`() async {
        let view = FineView()
        let binding = ViewBinding(view: view, context: context)
        binding.load(ImageRequest(path: "/icon.svg"))
        await shown(view, 1)
        #expect(view.sizes == [PixelSize(width: 480, height: 240)])
        view.width = 480
        binding.viewResized()
        await shown(view, 2)
        #expect(view.sizes.last == PixelSize(width: 960, height: 480))
    }

    @Test func `a view does not show the smaller rendering of another one for its own`() async {
        let small = FineView()
        small.width = 20
        let first = ViewBinding(view: small, context: context)
        first.load(ImageRequest(path: "/icon.svg"))
        await shown(small, 1)
        #expect(small.sizes == [PixelSize(width: 40, height: 20)])
        let view = FineView()
        let binding = ViewBinding(view: view, context: context)
        binding.load(ImageRequest(path: "/icon.svg"))
        await shown(view, 1)
        #expect(view.sizes.last == PixelSize(width: 480, height: 240))
    }
}
#endif
