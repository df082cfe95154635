public import Firn

/// A processor under Nuke's name.
public protocol NukeProcessor: ImageProcessing, Hashable {
    /// The processor of Firn that does the work.
    var original: any ImageProcessing { get }
}

extension NukeProcessor {
    /// The identifier of Firn's processor.
    public var identifier: String { original.identifier }

    /// The decoding target of Firn's processor.
    public var decodingTarget: TargetSize? { original.decodingTarget }

    /// The container with the changed image.
    ///
    /// - Throws: the error of Firn's processor.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try original.process(container, context: context)
    }

    /// The processed image; `nil` if that fails. Nuke's processors process images without a context, too.
    public func process(_ image: Bitmap) -> Bitmap? {
        try? process(ImageContainer(image: image), context: ImageProcessingContext()).image
    }

    /// Returns whether both have equal identifiers.
    public static func == (a: Self, b: Self) -> Bool { a.identifier == b.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension ImageProcessingContext {
    /// A processor is told neither the request nor the response.
    @available(*, unavailable, message: "use ImageProcessingContext()")
    public init(request: ImageRequest, response: ImageResponse, isCompleted: Bool) { self.init() }

    /// The container tells.
    @available(*, unavailable, message: "use !container.isPreview")
    public var isCompleted: Bool { true }
}
