/// How far a view is with its request.
public enum BindingPhase: Sendable {
    /// No request.
    case empty
    /// A request, but no load: the view has no size yet, has gone away, or the request was cancelled.
    case waiting
    /// The picture is on its way.
    case loading
    /// The picture is shown.
    case displayed(ImageResponse)
    /// There is no picture; ``ViewBinding/retry()`` tries again.
    case failed(ImageLoadingError)

    /// Whether a picture is on its way.
    public var isLoading: Bool { if case .loading = self { true } else { false } }

    /// What was loaded, if it was.
    public var response: ImageResponse? { if case .displayed(let response) = self { response } else { nil } }

    /// Why there is no picture, if there was a failure.
    public var error: ImageLoadingError? { if case .failed(let error) = self { error } else { nil } }
}
