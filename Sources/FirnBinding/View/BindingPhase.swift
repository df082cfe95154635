public import FirnPipeline

/// The state of a view's request.
public enum BindingPhase: Sendable {
    /// No request.
    case empty
    /// A request, but no load: the view has no size yet, has gone away, or the request was cancelled.
    case waiting
    /// The image is on its way.
    case loading
    /// The image is shown.
    case displayed(ImageResponse)
    /// There is no image; ``ViewBinding/retry()`` tries again.
    case failed(ImageLoadingError)

    /// Whether an image is on its way.
    public var isLoading: Bool { if case .loading = self { true } else { false } }

    /// What was loaded, if it was.
    public var response: ImageResponse? { if case .displayed(let response) = self { response } else { nil } }

    /// Why there is no image, if there was a failure.
    public var error: ImageLoadingError? { if case .failed(let error) = self { error } else { nil } }
}
