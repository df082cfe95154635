package import FirnImage

/// How a result is made of its source.
package struct RenderPlan: Sendable {
    /// The part of the upright image; `nil` for all of it.
    package var region: ImageRegion?
    /// The least size at which that part is decoded.
    package var decodedSize: PixelSize
    /// What is done with the decoded part, in order.
    package var processors: [any ImageProcessing] = []
    package var format: ImageFormat
    /// 0 to 1, for lossy formats; `nil` for the encoder's default.
    package var quality: Double?
    /// The most bytes of the result, which a lossy format reaches by lower quality; 0 for no limit.
    package var mostBytes = 0

    package init(decodedSize: PixelSize, format: ImageFormat) {
        self.decodedSize = decodedSize
        self.format = format
    }
}

/// A request in either language, as the service runs it.
package struct ResultJob: Sendable {
    package let source: SourceReference
    /// A text that requests with equal results share, whatever their source.
    package let key: String
    /// Makes the plan once the source is known.
    package let plan: @Sendable (SourceInfo) throws(ServeError) -> RenderPlan

    package init(
        source: SourceReference, key: String, plan: @escaping @Sendable (SourceInfo) throws(ServeError) -> RenderPlan
    ) {
        self.source = source
        self.key = key
        self.plan = plan
    }
}
