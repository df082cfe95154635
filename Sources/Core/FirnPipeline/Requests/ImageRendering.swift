package import FirnCache
import FirnData
package import FirnImage
import FirnProcessing
package import FoundationEssentials

/// The last step of a request for something that is made of an image, such as an encoded file.
///
/// It is one job of the stage `decode`: the plan follows from the header, so a source is decoded while it arrives, and
/// nothing is decoded where its properties are enough. Processors and encoder run on the same thread.
package struct ImageRendering: Sendable {
    /// Identifies the rendering: tasks with equal sources and identifiers share the work and its result.
    package let identifier: String
    /// Looks a result up before the source is read, on a thread that may block; `nil` if there is none.
    let stored: @Sendable () -> (any Sendable)?
    /// Returns `nil` as long as it needs more bytes.
    let plan: @Sendable (RenderingSource) throws -> RenderingPlan?

    /// - Parameters:
    ///   - stored: looks a result up before the source is read, on a thread that may block. Default: there is none.
    ///   - plan: called once the header is known, and again with all bytes if it returned `nil`.
    package init(
        _ identifier: String, stored: @escaping @Sendable () -> (any Sendable)? = { nil },
        plan: @escaping @Sendable (RenderingSource) throws -> RenderingPlan?
    ) {
        self.identifier = identifier
        self.stored = stored
        self.plan = plan
    }
}

/// The steps from a source to the result of a rendering.
package struct RenderingPlan: Sendable {
    /// The part that is decoded, at which size and in which layout; `nil` to decode nothing.
    let decoding: RequestStep.Decode?
    let processors: [any ImageProcessing]
    /// Makes the result of the processed image.
    let result: @Sendable (ImageContainer?, CancellationFlag) throws -> any Sendable

    /// Creates a plan that decodes an image and processes it.
    ///
    /// - Parameters:
    ///   - options: those of a request; the ones that a decode depends on apply.
    ///   - result: makes the result of the image.
    package init(
        region: ImageRegion?, targetSize: TargetSize?, pixelFormat: PixelFormat, options: ImageRequest.Options,
        processors: [any ImageProcessing],
        result: @escaping @Sendable (ImageContainer, CancellationFlag) throws -> any Sendable
    ) {
        decoding = RequestStep.Decode(
            target: targetSize, region: region, isExact: true, format: pixelFormat, options: options.decoding)
        self.processors = processors
        self.result = { image, cancellation in
            guard let image else { throw CancellationError() }
            return try result(image, cancellation)
        }
    }

    /// Creates a plan that decodes nothing by itself.
    package init(result: @escaping @Sendable (CancellationFlag) throws -> any Sendable) {
        decoding = nil
        processors = []
        self.result = { _, cancellation in try result(cancellation) }
    }

    /// Processes an image and makes the result.
    func make(
        of image: ImageContainer?, limits: ImageLimits, cancellation: CancellationFlag
    ) throws -> any Sendable {
        guard let image, !processors.isEmpty else { return try result(image, cancellation) }
        let context = ImageProcessingContext(
            cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
        var processed = try ImageProcessors.Composition(processors).process(image, context: context)
        processed.damage = image.damage
        return try result(processed, cancellation)
    }
}

/// A source as a rendering sees it: its header, and its bytes as far as they have arrived.
package struct RenderingSource: Sendable {
    package let properties: ImageProperties
    /// The frames, pages or images known so far.
    package let frames: [FrameProperties]
    /// The response that the bytes came with; `nil` if they came from a file or without a status.
    package let response: StoredResponse?
    /// Returns all bytes, and appends them to a decoder; `nil` while some are missing.
    let bytes: (read: @Sendable () throws -> Data, feed: @Sendable (ImageDecoder) throws -> Void)?

    /// True if the last byte has arrived.
    package var isWhole: Bool { bytes != nil }

    /// Returns all bytes; those of a file are read now.
    package func data() throws -> Data {
        guard let bytes else { throw ImageError(.incomplete, at: .decoding, "not all bytes have arrived") }
        return try bytes.read()
    }

    /// Returns a decoder that has all bytes, for more than one frame.
    package func decoder(_ decoders: [any ImageDecoding], limits: ImageLimits) throws -> ImageDecoder {
        let decoder = ImageDecoder(decoders: decoders, limits: limits)
        try bytes?.feed(decoder)
        return decoder
    }
}
