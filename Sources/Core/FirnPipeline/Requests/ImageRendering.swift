import FirnProcessing

/// The last step of a request for something that is made of an image, such as an encoded file.
///
/// It is one job of the stage `decode`: the plan follows from the header, so a source is decoded while it arrives, and
/// nothing is decoded where its properties are enough. Processors and encoder run on the same thread.
package struct ImageRendering: Sendable {
    /// Identifies the rendering: tasks with equal sources and identifiers share the work and its result.
    package let identifier: String
    /// The index of the frame or page that is decoded. One other than 0 needs all bytes.
    let frame: Int
    /// Looks a result up before the source is read, on a thread that may block; `nil` if there is none.
    let stored: @Sendable () -> (any Sendable)?
    /// Returns `nil` as long as it needs more bytes.
    let plan: @Sendable (RenderingSource) throws -> RenderingPlan?

    /// - Parameters:
    ///   - frame: the index of the frame or page that is decoded. If the source has no such frame, its decode fails.
    ///     Default: 0.
    ///   - stored: looks a result up before the source is read, on a thread that may block. Default: there is none.
    ///   - plan: called once the header is known, and again with all bytes if it returned `nil`.
    package init(
        _ identifier: String, frame: Int = 0, stored: @escaping @Sendable () -> (any Sendable)? = { nil },
        plan: @escaping @Sendable (RenderingSource) throws -> RenderingPlan?
    ) {
        self.identifier = identifier
        self.frame = frame
        self.stored = stored
        self.plan = plan
    }
}

/// The steps from a source to the result of a rendering.
package struct RenderingPlan: Sendable {
    /// The part that is decoded, at which size and in which layout; `nil` to decode nothing.
    var decoding: RequestStep.Decode?
    let processors: [any ImageProcessing]
    /// Called before the processors.
    private let decoded: @Sendable () -> Void
    /// Makes the result of the processed image.
    let result: @Sendable (ImageContainer?, CancellationFlag) throws -> any Sendable

    /// Creates a plan that decodes an image and processes it.
    ///
    /// - Parameters:
    ///   - options: those of a request; the ones that a decode depends on apply.
    ///   - decoded: called when the image is decoded, before the processors. Default: does nothing.
    ///   - result: makes the result of the image.
    package init(
        region: ImageRegion?, targetSize: TargetSize?, pixelFormat: PixelFormat, options: ImageRequest.Options,
        processors: [any ImageProcessing], decoded: @escaping @Sendable () -> Void = {},
        result: @escaping @Sendable (ImageContainer, CancellationFlag) throws -> any Sendable
    ) {
        decoding = RequestStep.Decode(
            target: targetSize, region: region, isExact: true, format: pixelFormat, options: options.decoding)
        self.processors = processors
        self.decoded = decoded
        self.result = { image, cancellation in
            guard let image else { throw CancellationError() }
            return try result(image, cancellation)
        }
    }

    /// Creates a plan that decodes nothing by itself.
    package init(result: @escaping @Sendable (CancellationFlag) throws -> any Sendable) {
        decoding = nil
        processors = []
        decoded = {}
        self.result = { _, cancellation in try result(cancellation) }
    }

    /// Processes an image and makes the result.
    func make(
        of image: ImageContainer?, limits: ImageLimits, cancellation: CancellationFlag
    ) throws -> any Sendable {
        decoded()
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
    /// The properties of the frame that is decoded.
    package let properties: ImageProperties
    /// The frames, pages or images known so far.
    package let frames: [FrameProperties]
    /// The index of the frame that is decoded.
    package let frame: Int
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
