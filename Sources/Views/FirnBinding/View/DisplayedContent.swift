/// The content that a view shows, replacing all previous content.
public struct DisplayedContent: Sendable {
    /// The kind of content.
    public enum Kind: Hashable, Sendable {
        /// An empty view.
        case nothing
        /// A placeholder for an image that is loading.
        case placeholder
        /// A preview of the image.
        case preview
        /// The image.
        case image
        /// A replacement for an image that failed to load.
        case failure
    }

    /// The kind of content.
    public let kind: Kind
    /// The image to draw, if there is one.
    public let container: ImageContainer?
    /// The color to draw, if there is one; `nil` with an image.
    public let color: SRGBColor?
    /// The way in which the image fits into the view.
    public let contentMode: ImageContentMode
    /// The transition from the previous content; `nil` for none.
    public let transition: ImageTransition?
    /// The response that contains the image; `nil` if the content was not loaded. Pass it to `animationDecoder(for:)`
    /// of `FirnAnimation` to play the animation whose first frame the view shows.
    public let response: ImageResponse?

    /// The pixels to draw, if there are any.
    public var image: Bitmap? { container?.image }

    /// Creates content.
    public init(
        _ kind: Kind, container: ImageContainer? = nil, color: SRGBColor? = nil, contentMode: ImageContentMode = .fit,
        transition: ImageTransition? = nil, response: ImageResponse? = nil
    ) {
        self.kind = kind
        self.container = container
        self.color = color
        self.contentMode = contentMode
        self.transition = transition
        self.response = response
    }

    /// Returns whether both look the same, so that the view need not change.
    func isSame(as other: DisplayedContent) -> Bool {
        func address(_ image: Bitmap?) -> UnsafeRawPointer? { image?.withUnsafeBytes { $0.baseAddress } }
        return kind == other.kind && color == other.color && contentMode == other.contentMode
            && address(image) == address(other.image)
    }

    /// An empty view.
    public static let nothing = DisplayedContent(.nothing)
}
