public import FirnImage

/// The image and the request for which an encoder is chosen.
public struct ImageEncodingContext: Sendable {
    /// The request whose image it is.
    public let request: ImageRequest
    /// The image.
    public let container: ImageContainer

    /// Creates a context.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
