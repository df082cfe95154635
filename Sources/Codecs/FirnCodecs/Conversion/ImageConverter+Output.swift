public import FirnImage
public import FirnProcessing
import FirnSync
public import FoundationEssentials

extension ImageConverter {
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

/// The steps of a converter for one source. Used by one thread at a time.
struct ConversionJob: Sendable {
    private let formats: Set<ImageFormat>?
    private let isolation: DecoderIsolation
    private let limits: ImageLimits
    private let format: ImageFormat
    private let target: TargetSize?
    private let quality: Double?
    private let processors: ImageProcessors.Composition
    private let keepsEXIF: Bool

    init(
        _ configuration: ImageConverter.Configuration, _ format: ImageFormat, _ target: TargetSize?, _ quality: Double?,
        _ processors: [any ImageProcessing], keepsEXIF: Bool
    ) {
        formats = configuration.formats
        isolation = configuration.isolation
        var limits = configuration.limits
        if let time = configuration.time {
            limits.maximumDecodingTime = limits.maximumDecodingTime.map { min($0, time) } ?? time
        }
        self.limits = limits
        self.format = format
        self.target = target
        self.quality = quality
        self.processors = ImageProcessors.Composition(processors)
        self.keepsEXIF = keepsEXIF
    }

    /// - Throws: ``ImageFileError``; `CancellationError`.
    func convert(_ data: Data, _ flag: CancellationFlag) throws -> ImageConverter.Output {
        try ImageFileError.naming(nil) {
            guard data.count <= limits.maximumBytes else {
                throw ImageFileError(
                    nil, 413, "is longer than the \(limits.maximumBytes) bytes that ImageLimits.maximumBytes allows")
            }
            return try convert(
                SourceImage(MemoryByteSource(data), formats: formats, isolation: isolation, limits: limits, flag), flag)
        }
    }

    /// - Throws: ``ImageFileError`` with the path; `CancellationError`.
    func convert(contentsOf path: String, _ flag: CancellationFlag) throws -> ImageConverter.Output {
        try SourceImage.file(path, formats: formats, isolation: isolation, limits: limits, flag) {
            try convert($0, flag)
        }
    }

    private func convert(_ source: SourceImage, _ flag: CancellationFlag) throws -> ImageConverter.Output {
        var container = ImageContainer(
            image: try source.decode(target, for: processors), format: source.properties.format,
            originalSize: target == nil ? source.properties.displaySize : nil)
        container = try processors.process(container, context: source.context)
        let metadata = EncodingMetadata(exif: keepsEXIF ? source.properties.exif : nil)
        let data = try container.image.encoded(as: format, quality: quality, metadata: metadata, flag)
        let image = container.image
        let flattens = format == .jpeg && !image.hasOnlyOpaquePixels || format == .gif && image.hasPartialAlpha
        let lost = ConversionLoss.between(
            source.properties, file: data, of: format, frames: 1, flattens: flattens, limits, isolation: isolation)
        return ImageConverter.Output(data: data, format: format, image: image, source: source.properties, lost: lost)
    }
}
