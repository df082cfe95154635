import Firn

/// A cell of a list of no toolkit's: it keeps what it is told to show.
@MainActor
final class ReuseCell: ImageDisplaying {
    private(set) var content = DisplayedContent.nothing
    private(set) lazy var binding = ViewBinding(view: self, context: context)
    private let context: BindingContext
    let displaySize = DisplaySize.points(width: 160, height: 120, scale: 1)

    init(context: BindingContext) { self.context = context }

    func display(_ content: DisplayedContent) { self.content = content }

    /// The number that the image shown says of itself; `nil` if none is shown.
    var shownNumber: Int? {
        guard content.kind == .image, let image = content.image else { return nil }
        return ReuseImages.number(of: image)
    }
}
