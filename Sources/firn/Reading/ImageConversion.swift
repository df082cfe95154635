import Firn
import FirnReport
import FoundationEssentials

/// The conversion of a file by `firn convert`.
struct ImageConversion: Sendable {
    let encoder: any ImageEncoding
    /// The target size; `nil` for all pixels.
    let size: SizeArgument?
    /// Times the own size of a drawing; `nil` for 1.
    var drawingFactor: Double?
    /// The processors of each image, or of each frame of an animation.
    let processors: [any ImageProcessing]
    /// Whether only the first frame of an animation is written.
    let isStill: Bool
    /// Whether colors are stored unchanged, with their profile.
    let keepsProfile: Bool
    /// The metadata that is written.
    let metadata: MetadataPolicy
    /// The color behind transparent images in formats without transparency.
    let background: ColorArgument

    /// The converted file.
    struct Result: Sendable {
        let data: Data
        let size: PixelSize
        let frames: Int
        /// The number of frames of the source.
        let sourceFrames: Int
        /// Whether transparent pixels were put on the background.
        var isFlattened = false
        /// The bytes of EXIF data that were requested and do not fit into the format; `nil` if all were written.
        var omittedEXIF: Int?
    }

    func convert(_ file: ImageFile) throws(ImageFault) -> Result {
        let properties = file.properties
        let isAnimated = properties.frameDurations != nil && properties.frameCount > 1
        do {
            if isAnimated, !isStill, let encoder = encoder as? any AnimationEncoding {
                return try animation(file, encoder)
            }
            var options = options(for: properties)
            options.prefersDefaultImage = !isAnimated
            var image = try processed(file.decode(options), properties)
            let isFlattened = encoder.format == .jpeg && !image.hasOnlyOpaquePixels
            if isFlattened { image = try background.flattened(image) }
            let written = metadata.metadata(of: properties)
            let data = try encoder.encode(image, metadata: written, cancellation: CancellationFlag())
            let isOmitted =
                encoder.format == .jpeg && written.exif.map { JPEGEncoder.leavesOut($0, of: image.size) } == true
            return Result(
                data: data, size: image.size, frames: 1, sourceFrames: properties.frameCount,
                isFlattened: isFlattened, omittedEXIF: isOmitted ? written.exif?.count : nil)
        } catch let fault as ImageFault {
            throw fault
        } catch {
            throw ImageFault(fault(of: error), "\(error)")
        }
    }

    /// Decodes and encodes frame by frame. Leaves out damaged frames behind the first one.
    private func animation(_ file: ImageFile, _ encoder: any AnimationEncoding) throws -> Result {
        let properties = file.properties
        var options = options(for: properties)
        options.pixelFormat = .rgba8Straight
        var session: (any AnimationEncodingSession)?
        var size = properties.displaySize
        var written = 0
        for frame in 0..<properties.frameCount {
            options.frame = frame
            let decoded: Bitmap
            do throws(ImageFault) {
                decoded = try file.decode(options)
            } catch {
                guard session != nil, error.fault == "data" else { throw error }
                continue
            }
            let image = try processed(decoded, properties)
            if session == nil {
                size = image.size
                session = try encoder.makeAnimation(
                    size: size, repetitions: properties.repetitionCount,
                    isOpaque: !properties.hasAlpha && (processors.isEmpty || image.isOpaque),
                    colorProfile: image.colorProfile, cancellation: CancellationFlag())
            }
            let durations = properties.frameDurations ?? []
            try session?.append(image, duration: frame < durations.count ? durations[frame] : .milliseconds(100))
            written += 1
        }
        guard let session else { throw ImageFault("data", "the animation has no frames") }
        return Result(
            data: try session.finish(), size: size, frames: written, sourceFrames: properties.frameCount)
    }

    private func options(for properties: ImageProperties) -> DecodingOptions {
        var options = DecodingOptions()
        let keepsWords = [.png, .avif, .jxl, .tiff].contains(encoder.format)
        options.pixelFormat = properties.bitDepth > 8 && keepsWords ? .rgba16Straight : .rgba8Straight
        options.appliesColorProfile = !keepsProfile || !properties.hasRGBProfile
        let composition = ImageProcessors.Composition.self
        options.targetSize =
            size?.target(for: properties.extent) ?? TargetSize(scaling: properties.extent, by: drawingFactor)
            ?? (properties.vectorSize == nil
                ? composition.decodingTarget(of: processors) : composition.renderingTarget(of: processors))
        return options
    }

    private func processed(_ image: Bitmap, _ properties: ImageProperties) throws -> Bitmap {
        if processors.isEmpty { return image }
        var container = ImageContainer(image: image, originalSize: properties.displaySize)
        container.vectorSize = properties.extent.vector
        return try ImageProcessors.Composition(processors).process(container).image
    }

    private func fault(of error: any Error) -> String {
        switch error {
        case let error as ImageEncodingError: error.fault.rawValue
        case let error as ImageProcessingError where error.fault == .parameter: "request"
        default: "limit"
        }
    }
}
