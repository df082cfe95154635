import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// The conversion of a file by `firn convert`.
struct ImageConversion: Sendable {
    /// The frames of a source that are written.
    enum Frames: Sendable {
        /// All in one file if the format has frames, otherwise the first.
        case automatic
        case first
        /// Each in a file of its own.
        case each
    }

    /// The format to write.
    let format: OutputFormat
    let encoding: EncodingOptions
    /// The target size; `nil` for all pixels.
    let size: SizeArgument?
    /// Times the own size of a drawing; `nil` for 1.
    var drawingFactor: Double?
    /// The processors of each image, or of each frame of an animation.
    let processors: [any ImageProcessing]
    let frames: Frames
    let metadata: MetadataOptions
    /// The color behind transparent images in formats without transparency.
    let background: ColorArgument

    /// The converted file.
    struct Result: Sendable {
        let data: Data
        let size: PixelSize
        let frames: Int
        /// The number of frames of the source.
        let sourceFrames: Int
        /// True if the file is a copy of the source without some metadata.
        var isCopied = false
        /// Whether transparent pixels were put on the background.
        var isFlattened = false
        /// The bytes of EXIF data that were requested and do not fit into the format; `nil` if all were written.
        var omittedEXIF: Int?
        /// The quality in percent that was chosen for ``EncodingOptions/maxBytes``; `nil` if the first was low enough.
        var quality: Int?
    }

    /// Converts a file.
    ///
    /// - Parameter page: the frame for ``Frames/each``; `nil` for the rule of ``frames``.
    func convert(_ file: ImageFile, page: Int? = nil) throws(ImageFault) -> Result {
        if page == nil, let copy = copied(file) { return copy }
        let properties = file.properties
        let isAnimated = properties.frameDurations != nil && properties.frameCount > 1
        do {
            if isAnimated, page == nil, frames == .automatic, encoding.encoder(for: format) is any AnimationEncoding {
                return try fitted { quality in
                    guard let encoder = encoding.encoder(for: format, quality: quality) as? any AnimationEncoding else {
                        throw ImageFault("unsupported", "the format has no frames")
                    }
                    return try animation(file, encoder)
                }
            }
            var options = options(for: properties, extent: file.extent(ofFrame: page ?? 0))
            options.prefersDefaultImage = !isAnimated && page == nil
            options.frame = page ?? 0
            var image = try processed(file.decode(options), properties)
            let isFlattened = format == .jpeg && !image.hasOnlyOpaquePixels
            if isFlattened { image = try background.flattened(image) }
            let written = metadata.metadata(of: file)
            let isOmitted = format == .jpeg && written.exif.map { JPEGEncoder.leavesOut($0, of: image.size) } == true
            let flat = image
            return try fitted { quality in
                Result(
                    data: try encoding.encoder(for: format, quality: quality)
                        .encode(flat, metadata: written, cancellation: CancellationFlag()),
                    size: flat.size, frames: 1, sourceFrames: properties.frameCount,
                    isFlattened: isFlattened, omittedEXIF: isOmitted ? written.exif?.count : nil)
            }
        } catch let fault as ImageFault {
            throw fault
        } catch {
            throw ImageFault(fault(of: error), "\(error)")
        }
    }

    /// Encodes, and searches for the highest quality whose file has no more bytes than are allowed.
    ///
    /// - Parameter encode: called with the quality; with `nil` for that of the options.
    private func fitted(_ encode: (Double?) throws -> Result) throws -> Result {
        let first = try encode(nil)
        guard let most = encoding.maxBytes?.bytes, first.data.count > most else { return first }
        var best: Result?
        var least = first.data.count
        var (low, high) = (1, max(1, Int(saturating: encoding.firstQuality(for: format) * 100) - 1))
        while low <= high {
            let middle = (low + high) / 2
            var made = try encode(Double(middle) / 100)
            least = min(least, made.data.count)
            if made.data.count <= most {
                made.quality = middle
                best = made
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        guard let best else {
            throw ImageFault(
                "limit", "takes \(least) bytes at the lowest quality; --max-bytes allows \(most); name a smaller --size"
            )
        }
        return best
    }

    /// Decodes and encodes frame by frame. Leaves out damaged frames behind the first one.
    private func animation(_ file: ImageFile, _ encoder: any AnimationEncoding) throws -> Result {
        let properties = file.properties
        var options = options(for: properties, extent: properties.extent)
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

    private func options(for properties: ImageProperties, extent: ImageExtent) -> DecodingOptions {
        var options = DecodingOptions()
        let keepsWords = [.png, .avif, .jxl, .tiff].contains(format)
        options.pixelFormat = properties.bitDepth > 8 && keepsWords ? .rgba16Straight : .rgba8Straight
        options.appliesColorProfile = !metadata.keepProfile || !properties.hasRGBProfile
        let composition = ImageProcessors.Composition.self
        options.targetSize =
            size?.target(for: extent) ?? TargetSize(scaling: extent, by: drawingFactor)
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
