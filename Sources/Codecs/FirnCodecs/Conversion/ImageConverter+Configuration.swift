public import FirnProcessing
import FirnSync
public import FoundationEssentials

extension ImageConverter {
    /// The uploads that a converter accepts, and what it may use for them.
    public struct Configuration: Sendable {
        /// The formats that are accepted, by content and never by name or media type; `nil` (the default) for all of
        /// this build. PNG includes animated PNG.
        public var formats: Set<ImageFormat>?

        /// The limits of bytes, pixels and memory for one image. Decodes take no longer than ``time`` either. Default:
        /// those of `ImageLimits()`.
        public var limits = ImageLimits()

        /// The longest time of a conversion once its turn has come; `nil` (the default) for no limit.
        public var time: Duration?

        /// The longest time in which all bytes of a sequence have to arrive; `nil` (the default) for no limit.
        public var receivingTime: Duration?

        /// The most conversions at once. Each takes up to ``/FirnImage/ImageLimits/maximumWorkingBytes``, the pixels of
        /// its result, and the encoder's memory. Default: the number of cores; more are never faster.
        public var concurrency = Machine.cores

        /// The most calls that wait for their turn or receive bytes, beside the conversions; each holds up to
        /// ``/FirnImage/ImageLimits/maximumBytes``. A further call fails at once with status 503. With 0, no call
        /// waits. Default: `nil`, any number.
        public var maximumWaiting: Int?

        /// The formats that are decoded in processes of their own. Default: that of all decoders.
        public var isolation = DecoderIsolation.standard

        /// Creates the defaults, for files that the program trusts.
        public init() {}

        /// For files of strangers. A converter with it needs the decoder programs, so that no file is decoded in the
        /// server's own process.
        ///
        /// | limit | value |
        /// |---|---|
        /// | formats | JPEG, PNG, WebP, AVIF, HEIC |
        /// | bytes | 10 MiB, within 30 s |
        /// | pixels | 50 million |
        /// | memory of a decode | 256 MiB |
        /// | time of a conversion | 10 s |
        /// | conversions at once | the number of cores |
        /// | calls that wait | 64 |
        ///
        /// SVG and TIFF are left out because their libraries have a large attack surface.
        public static let upload: Configuration = {
            var upload = Configuration()
            upload.formats = [.jpeg, .png, .webp, .avif, .heic]
            upload.limits.maximumBytes = 10 << 20
            upload.limits.maximumPixels = 50_000_000
            upload.limits.maximumWorkingBytes = 256 << 20
            upload.time = .seconds(10)
            upload.receivingTime = .seconds(30)
            upload.maximumWaiting = 64
            upload.isolation = .all
            return upload
        }()
    }

    /// A converted image.
    public struct Output: Sendable {
        /// The whole file.
        public let data: Data
        /// The format of the file.
        public let format: ImageFormat
        /// The pixels that were encoded.
        public let image: Bitmap
        /// The properties of the source.
        public let source: ImageProperties
        /// The properties of the source that the file lacks: by default all metadata, and all frames but the first.
        public let lost: [ConversionLoss]

        /// The size in pixels.
        public var size: PixelSize { image.size }

        /// The media type of the file, for `Content-Type`.
        public var mediaType: String { format.mediaType ?? "application/octet-stream" }

        /// The BlurHash of the image, for a placeholder; `nil` only if there is no memory.
        ///
        /// - Complexity: O(pixels), at each access.
        public var blurHash: BlurHash? { BlurHash(image) }
    }
}
