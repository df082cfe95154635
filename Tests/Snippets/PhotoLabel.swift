import Firn
import FirnBinding

/// A label of a made-up toolkit.
@MainActor class Label {
    var width = 40.0
    var height = 30.0
    var image: Bitmap?
    var background: SRGBColor?
    private(set) var redraws = 0

    func redraw() { redraws += 1 }
    func fade() { redraws += 1 }
    func layoutChanged() {}
}

@MainActor enum Toolkit {
    static let screenScale = 2.0
}

// snippet.label
final class PhotoLabel: Label, ImageDisplaying {
    private let context: BindingContext
    private lazy var binding = ViewBinding(view: self, context: context)

    init(context: BindingContext) { self.context = context }

    /// The content of the label.
    var photo: ImageRequest? { didSet { binding.load(photo) } }

    /// Before a list gives the label to another item.
    func prepareForReuse() { binding.prepareForReuse() }

    func display(_ content: DisplayedContent) {
        image = content.image
        background = content.color
        content.transition == nil ? redraw() : fade()
    }

    var displaySize: ImageDisplaySize {
        .points(width: width, height: height, scale: Toolkit.screenScale)
    }

    override func layoutChanged() { binding.viewResized() }
}
// snippet.end

@MainActor enum Gallery {
    static let context = BindingContext(pipeline: .shared)
}

// snippet.thumbnail-label
final class Thumbnail: Label, ImageDisplaying {  // a label of a made-up toolkit
    private lazy var binding = ViewBinding(view: self, context: Gallery.context)

    func display(_ content: DisplayedContent) {
        background = content.color
        image = content.image
        content.transition == nil ? redraw() : fade()
    }
    var displaySize: ImageDisplaySize {
        .points(width: width, height: height, scale: Toolkit.screenScale)
    }

    var photo: ImageRequest? { didSet { binding.load(photo) } }
    override func layoutChanged() { binding.viewResized() }
}
// snippet.end

enum LabelUse {
    @MainActor static func follow(_ binding: ViewBinding, _ show: @escaping (String) -> Void) {
        // snippet.binding-phase
        binding.onPhaseChange = { phase in
            switch phase {
            case .empty, .waiting: show("")
            case .loading: show("Loading …")
            case .displayed(let response): show("\(response.image.size) pixels")
            case .failed(let error): show(error.message)
            }
        }
        // snippet.end
    }

    @MainActor static func context(_ pipeline: ImagePipeline) -> BindingContext {
        // snippet.context
        let context = BindingContext(
            pipeline: pipeline,
            options: ImageLoadingOptions(transition: .fadeIn),
            policy: .finish)
        // snippet.end
        return context
    }
}
