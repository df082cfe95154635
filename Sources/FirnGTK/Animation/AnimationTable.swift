import FirnImage
import FirnPipeline
import FoundationEssentials

/// The animations that are shown somewhere, so that widgets with the same image in the same size share its frames.
@MainActor
final class AnimationTable {
    static let shared = AnimationTable()

    private struct Key: Hashable {
        let image: ImageCacheKey
        let size: PixelSize
        let version: SourceVersion?
        let content: AnimationFingerprint?
        let pipeline: ObjectIdentifier
    }

    private final class Entry {
        weak var animation: AnimatedImage?
        init(_ animation: AnimatedImage) { self.animation = animation }
    }

    private var entries: [Key: Entry] = [:]

    /// The animation whose first frame was loaded, decoded from the bytes that came with it; `nil` if it does not move
    /// or its bytes are not at hand.
    func animation(of response: ImageResponse, pipeline: ImagePipeline) async -> AnimatedImage? {
        let container = response.container
        guard container.isAnimated else { return nil }
        let key = Key(
            image: response.request.imageCacheKey, size: container.image.size, version: container.sourceVersion,
            content: container.data.map { AnimationFingerprint($0) }, pipeline: ObjectIdentifier(pipeline))
        if let animation = entries[key]?.animation { return animation }
        guard let decoder = await AnimationTable.decoder(for: response, pipeline: pipeline) else { return nil }
        // Another widget may have been quicker.
        if let animation = entries[key]?.animation { return animation }
        let animation = AnimationTable.makeAnimation(decoder, as: response)
        entries = entries.filter { $0.value.animation != nil }
        entries[key] = Entry(animation)
        return animation
    }

    /// Frames as the request has its image: size, processors, layout.
    private static func makeAnimation(_ decoder: ImageDecoder, as response: ImageResponse) -> AnimatedImage {
        let request = response.request
        var options = DecodingOptions()
        options.targetSize =
            request.processors.isEmpty
            ? TargetSize(response.container.image.size, mode: .fill) : request.targetSize
        // An opaque layout is a wish that an animation with transparency cannot meet.
        let isMet = request.pixelFormat.hasAlpha || decoder.properties?.hasAlpha == false
        options.pixelFormat = isMet ? request.pixelFormat : .bgra8Premultiplied
        return AnimatedImage(decoder: decoder, options: options, processors: request.processors)
    }

    /// A decoder with the whole file, if that has more than one frame. Away from the thread that draws: files are
    /// opened, and the headers of all frames are read.
    @concurrent
    private static func decoder(for response: ImageResponse, pipeline: ImagePipeline) async -> ImageDecoder? {
        guard let decoder = pipeline.animationDecoder(for: response), decoder.frameCount > 1 else { return nil }
        return decoder
    }
}
