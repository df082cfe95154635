import FirnPipeline

/// The state of a request right after it was started.
enum LoadStart {
    /// The request runs.
    case running(BindingLoad)
    /// The request has ended: the image was in memory, or the request failed.
    case ended(ImageTask, Result<ImageResponse, ImageLoadingError>)
}
