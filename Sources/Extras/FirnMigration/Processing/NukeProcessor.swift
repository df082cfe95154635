/// A processor under Nuke's name.
public protocol NukeProcessor: ImageProcessing, Hashable, CustomStringConvertible {
    /// The processor of Firn that does the work.
    var original: any ImageProcessing { get }
}

extension NukeProcessor {
    /// The identifier of Firn's processor.
    public var identifier: String { original.identifier }

    /// The identifier.
    public var description: String { identifier }

    /// The decoding target of Firn's processor.
    public var decodingTarget: TargetSize? { original.decodingTarget }

    /// Returns the container with the changed image.
    ///
    /// - Throws: the error of Firn's processor.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try original.process(container, context: context)
    }

    /// Returns the processed image; `nil` if that fails. As in Nuke, no context is needed.
    public func process(_ image: Bitmap) -> Bitmap? {
        try? process(ImageContainer(image: image), context: ImageProcessingContext()).image
    }

    /// Returns whether both have equal identifiers.
    public static func == (a: Self, b: Self) -> Bool { a.identifier == b.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

/// A processor that was written for Nuke, with `process(_:)` alone.
///
/// Replace `ImageProcessing` by `NukeImageProcessing` in the type's declaration; it then is an
/// ``/FirnImage/ImageProcessing``. It processes the whole image on one thread, and cancellation is checked only before
/// it starts.
public protocol NukeImageProcessing: ImageProcessing {
    /// Returns the changed image; `nil` to fail the request with the stage `processing`.
    func process(_ image: Bitmap) -> Bitmap?
}

extension NukeImageProcessing {
    /// Returns the container with the changed image.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if `process(_:)` returned `nil`; `CancellationError`.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        if context.cancellation.isCancelled { throw CancellationError() }
        let changed: Bitmap? = process(container.image)
        guard let changed else {
            throw ImageError(.image, at: .processing, "\(identifier): process(_:) returned no image")
        }
        var container = container
        container.image = changed
        return container
    }
}
