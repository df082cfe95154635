import Crypto
import FirnData
package import FirnImage
package import FoundationEssentials

/// The way in which a result is made of its source.
package struct RenderPlan: Sendable {
    /// The part of the upright image; `nil` for all of it.
    package var region: ImageRegion?
    /// The least size at which that part is decoded.
    package var decodedSize: PixelSize
    /// The steps after decoding, in order.
    package var processors: [any ImageProcessing] = []
    package var format: ImageFormat
    /// The way in which the decoded pixels are stored. Default: with 8 bits a sample.
    package var pixelFormat = PixelFormat.bgra8Premultiplied
    /// The number of frames of an animation in the result; 1 (the default) for a still.
    package var frames = 1
    /// True if the source is passed on as it is, once it was described. Default: false.
    package var passesSource = false
    /// The output for the client. Default: the image.
    package var output = RenderOutput.image
    /// 0 to 1, for lossy formats; `nil` for the encoder's default.
    package var quality: Double?
    /// The most bytes of the result, which a lossy format reaches by lower quality; 0 for no limit.
    package var maximumBytes = 0
    /// True if the source's EXIF data are written. Default: no.
    package var keepsMetadata = false
    /// EXIF data to write: those of the source, where ``keepsMetadata`` asks for them, or its copyright notice.
    package var exif: Data?
    /// True if colors stay in the space of the source's profile, which is then embedded. Default: no.
    package var keepsColorProfile = false
    /// True if a preview that the file embeds may replace the image. Default: no.
    package var takesEmbeddedPreview = false
    /// The AVIF images that are written as JPEG, or as PNG if they are transparent; `nil` (the default) for none.
    package var small: SmallImages?

    /// Images with a side below a bound, and the quality of their JPEG.
    package struct SmallImages: Sendable {
        package let side: Int
        package let quality: Double
    }

    package init(decodedSize: PixelSize, format: ImageFormat) {
        self.decodedSize = decodedSize
        self.format = format
    }
}

/// A request in either language, as the service runs it.
package struct ResultJob: Sendable {
    package let source: SourceReference
    /// The canonical key: of the source with its version, and of the normalized options.
    package let key: String
    /// Makes the plan once the source is known.
    package let plan: @Sendable (SourceInfo) throws(ServeError) -> RenderPlan
    /// True if parts of the source are decoded, so that it may be large.
    package let takesParts: Bool

    /// - Parameter options: a text that requests with equal results share, whatever their source.
    package init(
        source: SourceReference, options: String, takesParts: Bool = false,
        plan: @escaping @Sendable (SourceInfo) throws(ServeError) -> RenderPlan
    ) {
        self.source = source
        self.plan = plan
        self.takesParts = takesParts
        key = HexadecimalDigest.text(of: Data("2\n\(source.key)\n\(options)".utf8))
    }
}

/// SHA-256 digests as text.
enum HexadecimalDigest {
    /// Returns the digest in 64 digits.
    static func text(of data: Data) -> String { SHA256.hash(data: data).hexadecimal }
}
