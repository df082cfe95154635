import FirnPipeline

/// What became of a request that a view asked for.
enum LoadStart {
    /// It runs.
    case running(BindingLoad)
    /// It has ended already: the image was in memory, or there can be none.
    case ended(ImageTask, Result<ImageResponse, ImageLoadingError>)
}
