public import FirnImage

/// Options for loading an image into a view.
public struct ImageLoadingOptions: Sendable {
    /// The content while the image loads. `nil` (the default) shows nothing.
    public var placeholder: ImagePlaceholder?
    /// The content after a failure. `nil` (the default) keeps the placeholder or preview. An image stays in any case.
    /// So does a preview, such as a stale image, after status 401 or 403, which concern the request and not the image.
    public var failureImage: ImagePlaceholder?
    /// The transition of a loaded image. `nil` (the default) shows it at once.
    ///
    /// It does not apply to an image from the memory cache, or to one that replaces its own preview, the same image at
    /// another size, or an older version of it.
    public var transition: ImageTransition?
    /// The transition of the failure image. `nil` (the default) shows it at once.
    public var failureImageTransition: ImageTransition?
    /// True if images from the memory cache use the transition, too. Default: no.
    public var alwaysTransition = false
    /// True if previews are shown while bytes arrive. Default: yes.
    public var isProgressiveRenderingEnabled = true
    /// The content mode of images and their previews. It also decides how many pixels are loaded. Default: they fit.
    public var contentMode = ImageContentMode.fit
    /// The content mode of failure images. Default: they fit.
    public var failureContentMode = ImageContentMode.fit
    /// The content mode of placeholders. Default: they fill the view.
    public var placeholderContentMode = ImageContentMode.fill
    /// True if a request without a target size uses the view's size, and is repeated when the view has grown or shrunk
    /// (``resizingMargin``). Default: yes.
    ///
    /// A request whose first processor resizes is not changed.
    public var isResizingEnabled = true
    /// The share by which a view may stretch an image before a larger one is requested. Default: 0.25.
    ///
    /// A smaller value decodes again for every few pixels while a window is resized; a larger one shows blur. A view
    /// that has shrunk below half of the image's width and height requests a smaller one, because toolkits skip pixels
    /// when they paint an image so small. It is made of the larger one if the memory cache has that.
    public var resizingMargin = 0.25
    /// The pixel format of loaded images. `nil` (the default) uses the request's own.
    public var pixelFormat: PixelFormat?

    /// Creates options.
    public init(
        placeholder: ImagePlaceholder? = nil, failureImage: ImagePlaceholder? = nil,
        transition: ImageTransition? = nil, contentMode: ImageContentMode = .fit
    ) {
        self.placeholder = placeholder
        self.failureImage = failureImage
        self.transition = transition
        self.contentMode = contentMode
    }
}
