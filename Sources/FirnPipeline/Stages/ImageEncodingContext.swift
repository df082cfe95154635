public import FirnImage

/// What is known of an image for which an encoder is looked for.
public struct ImageEncodingContext: Sendable {
    /// The request whose image it is.
    public let request: ImageRequest
    /// The image.
    public let container: ImageContainer

    /// A context.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
