/// A view of any toolkit that can show an image.
///
/// The view draws a bitmap or a color and reports its size. A ``ViewBinding`` decides what it shows and when:
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
///     var displaySize: ImageDisplaySize {
///         .points(width: width, height: height, scale: Toolkit.screenScale)
///     }
///
///     var photo: ImageRequest? { didSet { binding.load(photo) } }
///     override func layoutChanged() { binding.viewResized() }
/// }
/// ```
@MainActor public protocol ImageDisplaying: AnyObject {
    /// Replaces the shown content with `content`. Called only if the content has changed.
    func display(_ content: DisplayedContent)

    /// The display size of the image. Read when a request is loaded and by ``ViewBinding/viewResized()``. Default:
    /// `unlimited`, which loads all pixels.
    var displaySize: ImageDisplaySize { get }
}

extension ImageDisplaying {
    /// `unlimited`: all pixels.
    public var displaySize: ImageDisplaySize { .unlimited }
}
