public import FirnImage

/// What is known of a picture for which an encoder is looked for.
public struct ImageEncodingContext: Sendable {
    /// The request whose picture it is.
    public let request: ImageRequest
    /// The picture.
    public let container: ImageContainer

    /// A context.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
