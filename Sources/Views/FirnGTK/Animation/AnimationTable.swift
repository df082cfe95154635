#if GTK
import Firn
import FoundationEssentials

/// The animations that are currently shown, so that widgets with the same image at the same size share its frames.
@MainActor
final class AnimationTable {
    static let shared = AnimationTable()

    private struct Key: Hashable {
        let source: PlayedSource
        let size: PixelSize
        let pipeline: ObjectIdentifier
    }

    private var entries: [Key: WeakReference<AnimatedImage>] = [:]

    /// Calls `done` with the animation of a response's image, decoded from the bytes that the response carries; with
    /// `nil` if the image is not animated or its bytes are not available. Calls it at once if the animation is known,
    /// and otherwise from GLib's loop, which needs no ``GLibMainExecutor``.
    func findAnimation(
        of response: ImageResponse, pipeline: ImagePipeline, done: @escaping @MainActor (AnimatedImage?) -> Void
    ) {
        let container = response.container
        guard container.isAnimated else { return done(nil) }
        let key = Key(
            source: PlayedSource(response, of: response.request), size: container.image.size,
            pipeline: ObjectIdentifier(pipeline))
        if let animation = entries[key]?.object { return done(animation) }
        pipeline.makeAnimationDecoder(for: response) { decoder in
            LoopSignal.shared.call { done(decoder.map { self.animation($0, as: response, key) }) }
        }
    }

    private func animation(_ decoder: ImageDecoder, as response: ImageResponse, _ key: Key) -> AnimatedImage {
        // Another widget may have added the animation meanwhile.
        if let animation = entries[key]?.object { return animation }
        let animation = AnimationTable.makeAnimation(decoder, as: response)
        entries = entries.filter { $0.value.object != nil }
        entries[key] = WeakReference(object: animation)
        return animation
    }

    /// Creates an animation whose frames have the size, processors and pixel layout of the response's image.
    private static func makeAnimation(_ decoder: ImageDecoder, as response: ImageResponse) -> AnimatedImage {
        let request = response.request
        var options = DecodingOptions()
        options.targetSize =
            request.processors.isEmpty
            ? TargetSize(response.container.image.size, mode: .fill) : request.targetSize
        // A request for an opaque layout cannot be met if the animation has transparency.
        let isMet = request.pixelFormat.hasAlpha || decoder.properties?.hasAlpha == false
        options.pixelFormat = isMet ? request.pixelFormat : .bgra8Premultiplied
        return AnimatedImage(decoder: decoder, options: options, processors: request.processors)
    }
}

/// Distinguishes the bytes of two animations at the same address, as after a reload, without reading all of them.
/// Compares the byte count and a hash of the first and the last 4 KiB.
struct AnimationFingerprint: Hashable {
    private static let sampledBytes = 4096
    private let count: Int
    private let hash: Int

    init(_ data: Data) {
        count = data.count
        var hasher = Hasher()
        hasher.combine(data.prefix(AnimationFingerprint.sampledBytes))
        hasher.combine(data.suffix(AnimationFingerprint.sampledBytes))
        hash = hasher.finalize()
    }
}

/// The file of an animation, whatever the size at which it is shown.
struct PlayedSource: Hashable {
    private let key: ImageCacheKey?
    private let version: SourceVersion?
    private let content: AnimationFingerprint?

    /// - Parameter request: the request; that of a view, before it was fitted to the view's size.
    init(_ response: ImageResponse, of request: ImageRequest?) {
        key = request?.imageCacheKey
        version = response.container.sourceVersion
        content = response.container.data.map { AnimationFingerprint($0) }
    }
}
#endif
