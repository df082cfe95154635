import FirnBinding
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport

/// A label of a fictitious toolkit, with the adoption from the documentation of `ImageDisplaying`.
@MainActor class Label {
    var width = 40.0
    var height = 30.0
    var image: Bitmap?
    var background = "none"
    /// The drawing calls, oldest first.
    var drawn: [String] = []

    func redraw() { drawn.append("drawn") }
    func fade() { drawn.append("faded") }
    func layoutChanged() {}
}

final class PhotoLabel: Label, ImageDisplaying {
    static let screenScale = 1.0
    let gallery: BindingContext
    private(set) lazy var binding = ViewBinding(view: self, context: gallery)
    var contents: [DisplayedContent] = []

    init(gallery: BindingContext) { self.gallery = gallery }

    func display(_ content: DisplayedContent) {
        contents.append(content)
        background = content.color.map { "\($0)" } ?? "none"
        image = content.image
        content.transition == nil ? redraw() : fade()
    }

    var displaySize: ImageDisplaySize { .points(width: width, height: height, scale: PhotoLabel.screenScale) }

    var photo: ImageRequest? { didSet { binding.load(photo) } }

    override func layoutChanged() { binding.viewResized() }

    var kinds: [DisplayedContent.Kind] { contents.map(\.kind) }
}

/// A list of labels over a scripted loader, with frames that a test ends by hand.
@MainActor struct BindingFixture {
    let base: PipelineFixture
    let frames = ManualFrames()
    let clock = ManualClock()
    let context: BindingContext

    init(
        memory: Bool = true, policy: ImageReusePolicy = .cancel, options: ImageLoadingOptions = ImageLoadingOptions(),
        pausedLimit: Int = 128, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) {
        base = PipelineFixture(memory: memory, change)
        let clock = clock
        context = BindingContext(
            pipeline: base.pipeline, options: options, policy: policy, frames: frames, pausedLimit: pausedLimit,
            now: { clock.elapsed })
    }

    var loader: ScriptedLoader { base.loader }

    func label() -> PhotoLabel { PhotoLabel(gallery: context) }

    /// Returns a request for an image whose size identifies it.
    func request(_ name: String, size: PixelSize = PixelSize(width: 400, height: 300)) -> ImageRequest {
        ImageRequest(url: base.image(name, size: size))
    }

    /// Returns a request whose response is held until ``release(_:)``.
    func held(_ name: String, size: PixelSize = PixelSize(width: 400, height: 300)) -> ImageRequest {
        let request = request(name, size: size)
        loader.hold(request.description)
        return request
    }

    func release(_ request: ImageRequest) async {
        _ = await loader.waitForRequest(request.description)
        loader.release(request.description)
    }
}
