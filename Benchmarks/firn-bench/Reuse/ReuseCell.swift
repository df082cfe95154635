import Firn
import FirnBinding

/// A cell of a list without a toolkit; it stores the content that it is told to display.
@MainActor
final class ReuseCell: ImageDisplaying {
    private(set) var content = DisplayedContent.nothing
    private(set) lazy var binding = ViewBinding(view: self, context: context)
    private let context: BindingContext
    let displaySize = ImageDisplaySize.points(width: 160, height: 120, scale: 1)

    init(context: BindingContext) { self.context = context }

    func display(_ content: DisplayedContent) { self.content = content }

    /// The number that the shown image encodes; `nil` if no image is shown.
    var shownNumber: Int? {
        guard content.kind == .image, let image = content.image else { return nil }
        return ReuseImages.number(of: image)
    }
}
