import FirnImage
public import FirnPipeline

/// Keeps one view showing the image of one request at a time, however often the request changes.
///
/// An image in memory is shown in the call that asks for it, with no transition. Otherwise the placeholder, early
/// states where they are wanted, and the image, or what stands for one that failed. What is answered late, for a request
/// of before, is never shown; loading the same again does nothing.
///
/// In a list with reused cells: ``load(_:options:)`` where a cell is bound to an item and ``prepareForReuse()`` where
/// it is unbound. A request that was let go is taken over by the next view that loads the same, and treated by the
/// ``BindingContext/policy`` of the list if there is none by the end of the frame.
@MainActor public final class ViewBinding {
    /// What this view shares with the others of its list.
    public let context: BindingContext
    /// How far the view is with its request.
    public internal(set) var phase = BindingPhase.empty { didSet { onPhaseChange?(phase) } }
    /// What the view shows.
    public internal(set) var content = DisplayedContent.nothing
    /// The request loaded last, as it was given.
    public internal(set) var request: ImageRequest?

    /// How much of the view is on the screen, from 0 to 1. Default: 1.
    ///
    /// The most visible get their images first. A view of which nothing is visible loads with the priority of prefetching,
    /// so that it never stands in the way of one that is seen.
    public var visibility = 1.0 { didSet { if (visibility > 0) != (oldValue > 0) { load?.setPriority(priority) } } }

    /// Called when ``phase`` has changed.
    public var onPhaseChange: ((BindingPhase) -> Void)?
    /// Called when a request has been started, or taken over from another view.
    public var onStart: ((ImageTask) -> Void)?
    /// Called when bytes have arrived.
    public var onProgress: ((ImageTask.Progress) -> Void)? { didSet { load?.setInterest(interest) } }
    /// Called when an early state has been shown.
    public var onPreview: ((ImageResponse) -> Void)?
    /// Called when the request has ended and what follows is shown; not for requests that were let go.
    public var onCompletion: ((Result<ImageResponse, ImageLoadingError>) -> Void)?

    weak var view: (any ImageDisplaying)?
    var state = BindingState<ImageCacheKey>()
    var options: ImageLoadingOptions
    var load: BindingLoad?
    /// The answer to the latest request.
    var response: ImageResponse?
    var error: ImageLoadingError?

    /// A binding for `view`, which is not kept alive by it.
    public init(view: any ImageDisplaying, context: BindingContext) {
        self.view = view
        self.context = context
        options = context.options
    }

    isolated deinit {
        if let load { context.release(load) }
    }

    // MARK: Loading

    /// Shows the image of `request`; `nil` empties the view. Does nothing if the request is the same as before and no other
    /// options are given.
    ///
    /// - Parameter options: how; those of the context by default. Given with the same request they count at once, for what is
    ///   shown already, too; but an image is not decoded anew for another layout of pixels.
    public func load(_ request: ImageRequest?, options: ImageLoadingOptions? = nil) {
        let isSame = request != nil && state.source == request?.imageCacheKey
        let isChanged = isSame && options != nil
        if let options = options ?? (request == nil || isSame ? nil : context.options) { self.options = options }
        self.request = request
        perform(state.load(request?.imageCacheKey, size: viewSize, rules: rules))
        if isChanged { optionsChanged() }
    }

    /// The view's request is over; it is soon to load another. What is shown stays until then.
    public func prepareForReuse() {
        request = nil
        perform(state.prepareForReuse())
    }

    /// Empties the view and lets go of its request.
    public func clear() {
        request = nil
        perform(state.clear())
    }

    /// Cancels the request; what is shown stays.
    public func cancel() { perform(state.cancel()) }

    /// Loads again what failed or was cancelled. The source is asked, however short a time ago it failed.
    public func retry() {
        if let request { context.pipeline.forgetFailure(of: request) }
        perform(state.retry())
    }

    // MARK: The view

    /// The view has, or may have, another size or scale. Asks again only if a larger image is really needed; see
    /// ``ImageLoadingOptions/resizingMargin``.
    public func viewResized() { perform(state.resize(viewSize)) }

    /// The view has gone off the screen: its request is let go, what it shows stays.
    public func disappear() { perform(state.disappear()) }

    /// The view is back on the screen: what it had not got before is loaded.
    public func appear() { perform(state.appear()) }
}
