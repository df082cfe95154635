@_exported public import FirnPipeline

/// Keeps one view showing the image of its current request.
///
/// An image in the memory cache is shown within the `load` call, without a transition. Otherwise the view shows the
/// placeholder, then previews if the options allow them, then the image or the failure image. A remembered failure
/// (``/FirnPipeline/ImagePipeline/Configuration/remembersFailures``) is also shown within the call. A late result of an
/// earlier request is never shown. For the effect of repeating a request, see ``load(_:options:)``.
///
/// In a list with reused cells, call ``load(_:options:)`` when a cell is bound to an item, and ``prepareForReuse()``
/// when it is unbound. The next view that loads the same request takes it over. If none does by the end of the frame,
/// the list's ``BindingContext/policy`` applies.
@MainActor public final class ViewBinding {
    /// The context that this view shares with the other views of its list.
    public let context: BindingContext
    /// The state of the view's request.
    public internal(set) var phase = BindingPhase.empty { didSet { onPhaseChange?(phase) } }
    /// The content that the view shows.
    public internal(set) var content = DisplayedContent.nothing
    /// The latest request, as it was passed to ``load(_:options:)``.
    public internal(set) var request: ImageRequest?

    /// The visible share of the view, from 0 to 1. Default: 1.
    ///
    /// The most visible views receive their images first. An invisible view loads with prefetching priority, so that it
    /// never delays a visible view.
    public var visibility = 1.0 { didSet { if (visibility > 0) != (oldValue > 0) { load?.setPriority(priority) } } }

    /// Called when ``phase`` has changed.
    public var onPhaseChange: ((BindingPhase) -> Void)?
    /// Called when a request has been started, or taken over from another view.
    public var onStart: ((ImageTask) -> Void)?
    /// Called when bytes have arrived.
    public var onProgress: ((ImageTask.Progress) -> Void)? { didSet { load?.setInterest(interest) } }
    /// Called when a preview has been shown.
    public var onPreview: ((ImageResponse) -> Void)?
    /// Called when the request has ended and its result is shown. Not called for released requests.
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
    /// Repeating the request does nothing while its image is loading or current. It loads again, and the shown image
    /// stays until the new one is ready, if
    /// - the request has the option `reloadIgnoringCachedData`,
    /// - the shown image is no longer fresh, or its file has changed,
    /// - the memory cache has a different image, as after a reload by another view,
    /// - the request has another URL under the same ``/FirnPipeline/ImageRequest/imageID``, or other read options. A
    ///   cached image with that id then serves it, as for any view.
    ///
    /// If that load fails, the shown image stays, the phase becomes `displayed` again, and ``onCompletion`` receives
    /// the error.
    ///
    /// - Parameter options: the options of the load. Default: those of the context. With an unchanged request they
    ///   apply at once, even to the shown content, except that a new pixel format does not decode the image again.
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

    /// Applies other options to the current request without loading it again.
    package func apply(_ options: ImageLoadingOptions) {
        guard let request else { return }
        self.options = options
        perform(state.load(request.imageCacheKey, size: viewSize, rules: rules))
        optionsChanged()
    }

    /// Releases the request because the view will soon load another. The content stays until then.
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

    /// Loads again. Contacts the source even if the request has just failed. If the image is shown, ignores cached data
    /// and keeps the image until the new one is ready. Does nothing while a request is running.
    public func retry() {
        if let request { context.pipeline.forgetFailure(of: request) }
        perform(state.retry())
    }

    // MARK: The view

    /// Call when the size or scale of the view may have changed. Requests the image again only if another size is
    /// needed; see ``ImageLoadingOptions/resizingMargin``.
    public func viewResized() { perform(state.resize(viewSize)) }

    /// Call when the view is no longer on screen. Releases its request; the content stays.
    public func disappear() { perform(state.disappear()) }

    /// Call when the view is on screen again. Loads the image if it has none yet.
    public func appear() { perform(state.appear()) }

    // Shows content in the view.

    func show(_ display: State.Step.Display) {
        switch display {
        case .nothing: show(DisplayedContent.nothing)
        case .placeholder:
            show(options.placeholder, as: .placeholder, mode: options.placeholderContentMode, transition: nil)
        case .failure:
            show(
                options.failureImage, as: .failure, mode: options.failureContentMode,
                transition: options.failureImageTransition)
        case .preview: showResponse(.preview, transition: nil)
        case .image(let fades):
            showResponse(.image, transition: fades && !context.isInMotion ? options.transition : nil)
        }
    }

    /// Applies changed options to the shown content.
    func optionsChanged() {
        load?.setInterest(interest)
        if let display = state.wait(state.generation).display { return show(display) }
        switch state.shown.kind {
        case .nothing: break
        case .placeholder: show(.placeholder)
        case .failure: show(.failure)
        case .preview, .image: showResponse(content.kind, transition: nil)
        }
    }

    /// Sets ``ViewBinding/phase`` to match the state.
    func settle() {
        switch state.phase {
        case .empty: if case .empty = phase {} else { phase = .empty }
        case .waiting: if case .waiting = phase {} else { phase = .waiting }
        case .loading: if !phase.isLoading { phase = .loading }
        case .failed: if let error, phase.error != error { phase = .failed(error) }
        case .displayed:
            guard let response, phase.response?.hasSameOrigin(as: response) != true else { return }
            phase = .displayed(response)
        }
        if state.shown.kind == .nothing { response = nil }
    }

    private func showResponse(_ kind: DisplayedContent.Kind, transition: ImageTransition?) {
        show(
            DisplayedContent(
                kind, container: response?.container, contentMode: options.contentMode,
                transition: transition, response: response))
    }

    private func show(
        _ placeholder: ImagePlaceholder?, as kind: DisplayedContent.Kind, mode: ImageContentMode,
        transition: ImageTransition?
    ) {
        let content = placeholder.map { context.placeholders.content(of: $0) }
        show(
            DisplayedContent(
                kind, container: content?.image.map { ImageContainer(image: $0) }, color: content?.color,
                contentMode: mode, transition: transition))
    }

    private func show(_ content: DisplayedContent) {
        guard !content.isSame(as: self.content) else { return }
        self.content = content
        view?.display(content)
    }
}
