/// A view, of any toolkit, that can show an image.
///
/// All that a toolkit has to know is how to draw a bitmap or a color, and how large its view is. When what is to be
/// shown is decided by a ``ViewBinding``:
///
/// ```swift
/// final class Thumbnail: Label, ImageDisplaying {  // a label of a made-up toolkit
///     private lazy var binding = ViewBinding(view: self, context: Gallery.context)
///
///     func display(_ content: DisplayedContent) {
///         background = content.color
///         image = content.image
///         content.transition == nil ? redraw() : fade()
///     }
///     var displaySize: DisplaySize { .points(width: width, height: height, scale: Toolkit.screenScale) }
///
///     var photo: ImageRequest? { didSet { binding.load(photo) } }
///     override func layoutChanged() { binding.viewResized() }
/// }
/// ```
@MainActor public protocol ImageDisplaying: AnyObject {
    /// Shows `content` in place of everything shown before. Called only when what is to be shown has changed.
    func display(_ content: DisplayedContent)

    /// How large the image is shown. Asked when a request is loaded, and when ``ViewBinding/viewResized()`` says so.
    /// Default: `unlimited`, which loads every pixel.
    var displaySize: DisplaySize { get }
}

extension ImageDisplaying {
    /// Every pixel.
    public var displaySize: DisplaySize { .unlimited }
}
