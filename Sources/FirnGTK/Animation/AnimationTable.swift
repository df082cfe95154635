import FirnImage
import FirnPipeline

/// The animations that are shown somewhere, so that widgets with the same picture in the same size share its frames.
@MainActor
final class AnimationTable {
    static let shared = AnimationTable()

    private struct Key: Hashable {
        let name: String
        let size: PixelSize
        let format: PixelFormat
        let pipeline: ObjectIdentifier
    }

    private final class Entry {
        weak var animation: AnimatedImage?
        init(_ animation: AnimatedImage) { self.animation = animation }
    }

    private var entries: [Key: Entry] = [:]

    /// Whether the file of a picture may hold an animation that is worth its bytes: they are asked for a second time.
    ///
    /// A GIF most likely moves; of the others, which mostly do not, only those are looked into whose bytes are at hand.
    static func mayMove(_ format: ImageFormat, _ request: ImageRequest, _ pipeline: ImagePipeline) -> Bool {
        if format == .gif { return true }
        let isAtHand = pipeline.configuration.dataCache != nil || request.description.hasPrefix("file:")
        return isAtHand && sometimesMoving.contains(format)
    }

    private static let sometimesMoving: Set<ImageFormat> = [.png, .webp, .avif, .jxl]

    /// The animation of a picture that is shown; `nil` if it does not move.
    func animation(
        for request: ImageRequest, size: PixelSize, format: PixelFormat, pipeline: ImagePipeline
    ) async -> AnimatedImage? {
        let key = Key(name: request.description, size: size, format: format, pipeline: ObjectIdentifier(pipeline))
        if let animation = entries[key]?.animation { return animation }
        guard let decoder = await AnimationTable.decoder(for: request, pipeline: pipeline) else { return nil }
        // Somebody else may have been quicker.
        if let animation = entries[key]?.animation { return animation }
        var options = DecodingOptions()
        options.targetSize = TargetSize(size, mode: .fill)
        options.pixelFormat = format
        let animation = AnimatedImage(decoder: decoder, options: options)
        entries = entries.filter { $0.value.animation != nil }
        entries[key] = Entry(animation)
        return animation
    }

    /// A decoder with the whole file, if that has more than one frame.
    @concurrent
    private static func decoder(for request: ImageRequest, pipeline: ImagePipeline) async -> ImageDecoder? {
        let decoder = ImageDecoder(
            decoders: pipeline.configuration.decoders, limits: pipeline.configuration.limits)
        guard let (data, _) = try? await pipeline.data(for: request) else { return nil }
        do { try decoder.setData(data, allDataReceived: true) } catch { return nil }
        return decoder.frameCount > 1 ? decoder : nil
    }
}
