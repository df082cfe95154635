extension ImagePipeline {
    /// The error of a load that has no image.
    public typealias Error = ImageLoadingError
}
