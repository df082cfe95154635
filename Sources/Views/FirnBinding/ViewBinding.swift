import FirnImage
public import FirnPipeline

/// Keeps one view showing the image of its current request.
///
/// An image in the memory cache is shown in the call that requests it, without a transition. Otherwise the view shows
/// the placeholder, then previews if the options allow them, then the image or the failure image. A failure that is
/// remembered (``/FirnPipeline/ImagePipeline/Configuration/failureTimes``) is shown in the call, too. A late result of
/// an earlier request is never shown. ``load(_:options:)`` says what the same request does again.
///
/// In a list with reused cells, call ``load(_:options:)`` when a cell is bound to an item, and ``prepareForReuse()``
/// when it is unbound. The next view that loads the same request takes it over. If there is none by the end of the
/// frame, the ``BindingContext/policy`` of the list applies.
@MainActor public final class ViewBinding {
    /// The context that this view shares with the others of its list.
    public let context: BindingContext
    /// The state of the view's request.
    public internal(set) var phase = BindingPhase.empty { didSet { onPhaseChange?(phase) } }
    /// The content that the view shows.
    public internal(set) var content = DisplayedContent.nothing
    /// The latest request, as it was passed to ``load(_:options:)``.
    public internal(set) var request: ImageRequest?

    /// The visible share of the view, from 0 to 1. Default: 1.
    ///
    /// The most visible views receive their images first. A view that is not visible loads with the priority of
    /// prefetching, so that it never delays a visible one.
    public var visibility = 1.0 { didSet { if (visibility > 0) != (oldValue > 0) { load?.setPriority(priority) } } }

    /// Called when ``phase`` has changed.
    public var onPhaseChange: ((BindingPhase) -> Void)?
    /// Called when a request was started, or taken over from another view.
    public var onStart: ((ImageTask) -> Void)?
    /// Called when bytes have arrived.
    public var onProgress: ((ImageTask.Progress) -> Void)? { didSet { load?.setInterest(interest) } }
    /// Called when a preview was shown.
    public var onPreview: ((ImageResponse) -> Void)?
    /// Called when the request has ended and its result is shown. Not called for requests that were released.
    public var onCompletion: ((Result<ImageResponse, ImageLoadingError>) -> Void)?

    weak var view: (any ImageDisplaying)?
    var state = BindingState<ImageCacheKey>()
    var options: ImageLoadingOptions
    var load: BindingLoad?
    /// The latest preview or image of the request.
    var response: ImageResponse?
    var error: ImageLoadingError?

    /// Creates a binding for `view`, which it does not retain.
    public init(view: any ImageDisplaying, context: BindingContext) {
        self.view = view
        self.context = context
        options = context.options
    }

    isolated deinit {
        if let load { context.release(load) }
    }

    // MARK: Loading

    /// Shows the image of `request`; `nil` empties the view.
    ///
    /// The same request again does nothing while its image is loading or current. It loads again, and the shown image
    /// stays until the new one is there, if
    /// - the request has the option `reloadIgnoringCachedData`,
    /// - the shown image is no longer fresh, or its file has changed,
    /// - the memory cache has another image in its place, as after a reload by another view,
    /// - the request has another address under the same ``/FirnPipeline/ImageRequest/imageID``, or other options for
    ///   reading. The image of that id in a cache then serves, as for any view.
    ///
    /// If that load fails, the shown image stays, the phase is `displayed` again, and ``onCompletion`` has the error.
    ///
    /// - Parameter options: the options of the load. Default: those of the context. With an unchanged request they
    ///   apply at once, also to the content that is shown; but an image is not decoded again for another pixel format.
    public func load(_ request: ImageRequest?, options: ImageLoadingOptions? = nil) {
        let isSame = request != nil && state.source == request?.imageCacheKey
        let isChanged = isSame && options != nil
        if let options = options ?? (request == nil || isSame ? nil : context.options) { self.options = options }
        let isOutdated = request.map { self.isOutdated(for: $0, isSame: isSame) } ?? false
        self.request = request
        perform(state.load(request?.imageCacheKey, size: viewSize, rules: rules, isOutdated: isOutdated))
        load?.setPriority(priority)
        if isChanged { optionsChanged() }
    }

    /// Applies other options to the current request, without loading it again.
    package func apply(_ options: ImageLoadingOptions) {
        guard let request else { return }
        self.options = options
        perform(state.load(request.imageCacheKey, size: viewSize, rules: rules))
        optionsChanged()
    }

    /// Releases the request because the view will load another one soon. The content stays until then.
    public func prepareForReuse() {
        request = nil
        perform(state.prepareForReuse())
    }

    /// Empties the view and releases its request.
    public func clear() {
        request = nil
        perform(state.clear())
    }

    /// Cancels the request. The content stays.
    public func cancel() { perform(state.cancel()) }

    /// Loads again. Contacts the source even if the request failed a short time ago, and ignores cached data if the
    /// image is shown, which then stays until the new one is there. Does nothing while a request runs.
    public func retry() {
        if let request { context.pipeline.forgetFailure(of: request) }
        perform(state.retry())
    }

    // MARK: The view

    /// Tells the binding that the size or scale of the view may have changed. It requests the image again only if
    /// another size is needed; see ``ImageLoadingOptions/resizingMargin``.
    public func viewResized() { perform(state.resize(viewSize)) }

    /// Tells the binding that the view is no longer on the screen. Its request is released, and its content stays.
    public func disappear() { perform(state.disappear()) }

    /// Tells the binding that the view is on the screen again. It loads the image if it has none yet.
    public func appear() { perform(state.appear()) }
}
