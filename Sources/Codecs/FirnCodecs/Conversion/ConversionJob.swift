import FoundationEssentials

/// The steps of a converter for one source. Used by one thread at a time.
struct ConversionJob: Sendable {
    let configuration: ImageConverter.Configuration
    let format: ImageFormat
    let target: TargetSize?
    let quality: Double?
    let processors: ImageProcessors.Composition
    let policy: EncodingMetadata.Policy

    private var limits: ImageLimits {
        var limits = configuration.limits
        if let time = configuration.time {
            limits.maximumDecodingTime = limits.maximumDecodingTime.map { min($0, time) } ?? time
        }
        return limits
    }

    /// - Throws: ``/FirnImage/ImageError``.
    func convert(_ data: Data, _ flag: CancellationFlag) throws(ImageError) -> ImageConverter.Output {
        try SourceImage.data(
            data, formats: configuration.formats, isolation: configuration.isolation, limits: limits, flag
        ) { try convert($0, flag) }
    }

    /// - Throws: ``/FirnImage/ImageError`` with the path.
    func convert(contentsOf path: String, _ flag: CancellationFlag) throws(ImageError) -> ImageConverter.Output {
        try SourceImage.file(
            path, formats: configuration.formats, isolation: configuration.isolation, limits: limits, flag
        ) { try convert($0, flag) }
    }

    private func colors(for properties: ImageProperties) -> DecodingOptions {
        var options = DecodingOptions()
        if format.storesProfiles { options.targetProfile = configuration.targetProfile }
        options.renderingIntent = configuration.renderingIntent
        options.preservesHDR = configuration.preservesHDR && format.storesHDR(properties.light)
        return options
    }

    private func convert(_ source: SourceImage, _ flag: CancellationFlag) throws -> ImageConverter.Output {
        var container = ImageContainer(
            image: try source.decode(target, for: processors, colors(for: source.properties)),
            format: source.properties.format,
            originalSize: target == nil ? source.properties.displaySize : nil)
        container.gainMap = try source.gainMap(for: format)
        container = try ImageError.at(.processing) { try processors.process(container, context: source.context) }
        let isPlain = processors.processors.isEmpty
        var metadata = EncodingMetadata(keeping: policy, of: source.properties, pixelsMoved: !isPlain)
        if isPlain, policy == .all || policy == .allButPlace {
            let stored = source.properties.resolution
            let upright = source.properties.orientation.transposes ? stored?.transposed : stored
            metadata.resolution = upright?.resized(from: source.properties.displaySize, to: container.image.size)
        }
        metadata.gainMap = container.gainMap
        let data = try container.image.encoded(as: format, quality: quality, metadata: metadata, flag)
        let image = container.image
        let flattens = format == .jpeg && !image.hasOnlyOpaquePixels || format == .gif && image.hasPartialAlpha
        let lost = ConversionLoss.between(
            source.properties, file: data, of: format, frames: 1, flattens: flattens, limits,
            isolation: configuration.isolation)
        return ImageConverter.Output(data: data, format: format, image: image, source: source.properties, lost: lost)
    }
}
