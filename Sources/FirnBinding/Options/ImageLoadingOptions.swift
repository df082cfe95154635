public import FirnImage

/// How an image is loaded into a view.
public struct ImageLoadingOptions: Sendable {
    /// Shown while the image is on its way. `nil`, the default: nothing.
    public var placeholder: ImagePlaceholder?
    /// Shown when there is no image to be had. `nil`, the default: the placeholder or preview stays.
    public var failureImage: ImagePlaceholder?
    /// How a loaded image appears. `nil`, the default: at once.
    ///
    /// An image from the memory cache appears at once all the same, and so does one that only sharpens what is
    /// shown: its preview, or the same image in another size.
    public var transition: ImageTransition?
    /// How the failure image appears. `nil`, the default: at once.
    public var failureImageTransition: ImageTransition?
    /// Whether an image from the memory cache appears with the transition, too. Default: no.
    public var alwaysTransition = false
    /// Whether previews are shown while bytes arrive. Default: yes.
    public var isProgressiveRenderingEnabled = true
    /// How images are brought into the view; that of `success` also decides how many pixels are loaded.
    public var contentModes = ContentModes()
    /// Whether a request without a target size gets the view's, and is repeated when the view has grown. Default: yes.
    ///
    /// A request whose first processor resizes is left as it is.
    public var isResizingEnabled = true
    /// By how much a view may stretch an image before a larger one is asked for: 0.25, the default, is by a quarter.
    ///
    /// Smaller costs a decode for every few pixels while a window is dragged; larger shows blur. A view that shrinks
    /// never asks again.
    public var resizingMargin = 0.25
    /// Layout of the pixels loaded. `nil`, the default: the request's own.
    public var pixelFormat: PixelFormat?

    /// Defaults.
    public init(
        placeholder: ImagePlaceholder? = nil, failureImage: ImagePlaceholder? = nil,
        transition: ImageTransition? = nil, contentModes: ContentModes = ContentModes()
    ) {
        self.placeholder = placeholder
        self.failureImage = failureImage
        self.transition = transition
        self.contentModes = contentModes
    }

    /// How each kind of content is brought into the view.
    public struct ContentModes: Hashable, Sendable {
        /// Images and their previews.
        public var success: ContentMode
        /// Failure images.
        public var failure: ContentMode
        /// Placeholders.
        public var placeholder: ContentMode

        /// Modes. Default: images fit, and placeholders fill.
        public init(success: ContentMode = .fit, failure: ContentMode = .fit, placeholder: ContentMode = .fill) {
            self.success = success
            self.failure = failure
            self.placeholder = placeholder
        }
    }
}
