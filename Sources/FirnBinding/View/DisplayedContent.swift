public import FirnImage
public import FirnPipeline

/// The content that a view shows, in place of everything that it showed before.
public struct DisplayedContent: Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        /// Nothing: an empty view.
        case nothing
        /// What stands for an image that is on its way.
        case placeholder
        /// An early state of the image.
        case preview
        /// The image.
        case image
        /// What stands for an image that could not be loaded.
        case failure
    }

    /// What it is.
    public let kind: Kind
    /// The image to be drawn, where there is one.
    public let container: ImageContainer?
    /// The color to be drawn, where there is one; never together with an image.
    public let color: SRGBColor?
    /// How the image is to be brought into the view.
    public let contentMode: ContentMode
    /// How it takes the place of what was shown; `nil` for at once.
    public let transition: ImageTransition?
    /// The response that the image is from; `nil` if the content was not loaded. Pass it to `animationDecoder(for:)` of
    /// `FirnAnimation` to play the animation whose first frame the view shows.
    public let response: ImageResponse?

    /// The pixels to be drawn, where there are any.
    public var image: Bitmap? { container?.image }

    /// Content of a kind.
    public init(
        _ kind: Kind, container: ImageContainer? = nil, color: SRGBColor? = nil, contentMode: ContentMode = .fit,
        transition: ImageTransition? = nil, response: ImageResponse? = nil
    ) {
        self.kind = kind
        self.container = container
        self.color = color
        self.contentMode = contentMode
        self.transition = transition
        self.response = response
    }

    /// Whether a view that shows one need do nothing to show the other.
    func isSame(as other: DisplayedContent) -> Bool {
        func address(_ image: Bitmap?) -> UnsafeRawPointer? { image?.withUnsafeBytes { $0.baseAddress } }
        return kind == other.kind && color == other.color && contentMode == other.contentMode
            && address(image) == address(other.image)
    }

    /// An empty view.
    public static let nothing = DisplayedContent(.nothing)
}
