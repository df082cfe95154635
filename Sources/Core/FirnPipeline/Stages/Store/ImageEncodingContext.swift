public import FirnImage

/// The image and the request that an encoder is chosen for.
public struct ImageEncodingContext: Sendable {
    /// The request of the image.
    public let request: ImageRequest
    /// The image.
    public let container: ImageContainer

    /// Creates a context.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
