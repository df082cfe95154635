/// Options for loading an image into a view.
public struct ImageLoadingOptions: Sendable {
    /// The content while the image loads. `nil` (the default) shows nothing.
    public var placeholder: ImagePlaceholder?
    /// The content after a failure. `nil` (the default) keeps the placeholder or preview. A shown image always stays.
    /// So does a preview, such as a stale image, after status 401 or 403, which concern the request and not the image.
    public var failureImage: ImagePlaceholder?
    /// The transition of a loaded image. `nil` (the default) shows it at once.
    ///
    /// Does not apply to an image from the memory cache, or an image that replaces its own preview, another size or an
    /// older version.
    public var transition: ImageTransition?
    /// The transition of the failure image. `nil` (the default) shows it at once.
    public var failureImageTransition: ImageTransition?
    /// True if images from the memory cache also use the transition. Default: false.
    public var alwaysTransition = false
    /// True to show previews while bytes arrive. Default: true.
    public var isProgressiveRenderingEnabled = true
    /// The content mode of images and their previews, which also determines the number of loaded pixels. Default:
    /// `fit`.
    public var contentMode = ImageContentMode.fit
    /// The content mode of failure images. Default: `fit`.
    public var failureContentMode = ImageContentMode.fit
    /// The content mode of placeholders. Default: `fill`.
    public var placeholderContentMode = ImageContentMode.fill
    /// True if a request without a target size uses the view's size, and the image is loaded again when the view grows
    /// or shrinks (``resizingMargin``). Default: true.
    ///
    /// Does not affect a request whose first processor resizes.
    public var isResizingEnabled = true
    /// The share by which a view may stretch an image before it requests a larger one. Default: 0.25.
    ///
    /// A smaller value decodes again every few pixels while a window is resized; a larger value shows blur. A view that
    /// has shrunk below half of the image's width and height requests a smaller image, because toolkits skip pixels
    /// when they paint an image that small. The smaller image is made from the larger one if that is in the memory
    /// cache.
    public var resizingMargin = 0.25
    /// The pixel format of loaded images. `nil` (the default) uses the request's format.
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
