/// The state of a view's request.
public enum BindingPhase: Sendable {
    /// No request.
    case empty
    /// A request without a load: the view has no size yet or is off screen, or the request was cancelled.
    case waiting
    /// The image is being loaded.
    case loading
    /// The image is shown.
    case displayed(ImageResponse)
    /// The request failed; call ``ViewBinding/retry()`` to try again.
    case failed(ImageLoadingError)

    /// True if the image is being loaded.
    public var isLoading: Bool { if case .loading = self { true } else { false } }

    /// True if the image is shown or its request has failed.
    package var isEnded: Bool { response != nil || error != nil }

    /// The response; `nil` if no image is shown.
    public var response: ImageResponse? { if case .displayed(let response) = self { response } else { nil } }

    /// The error; `nil` if the request did not fail.
    public var error: ImageLoadingError? { if case .failed(let error) = self { error } else { nil } }
}
