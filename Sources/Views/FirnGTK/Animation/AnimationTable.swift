#if GTK
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

    /// Passes the animation of a response's image to `done`, decoded from the bytes that the response carries; `nil` if
    /// the image is not animated or its bytes are not available. Calls `done` at once if the animation is in the table,
    /// otherwise from GLib's loop, with or without ``GLibMainExecutor``.
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

    /// Returns the animation whose frames have the size, processors and pixel layout of the response's image.
    private func animation(_ decoder: ImageDecoder, as response: ImageResponse, _ key: Key) -> AnimatedImage {
        // Another widget may have added the animation meanwhile.
        if let animation = entries[key]?.object { return animation }
        let request = response.request
        var options = DecodingOptions()
        options.targetSize =
            request.processors.isEmpty
            ? TargetSize(response.container.image.size, mode: .fill) : request.targetSize
        // An animation with transparency cannot have an opaque layout.
        let isMet = request.pixelFormat.hasAlpha || decoder.properties?.hasAlpha == false
        options.pixelFormat = isMet ? request.pixelFormat : .bgra8Premultiplied
        let animation = AnimatedImage(decoder: decoder, options: options, processors: request.processors)
        entries = entries.filter { $0.value.object != nil }
        entries[key] = WeakReference(object: animation)
        return animation
    }
}

/// Identifies the file of an animation, at any displayed size.
struct PlayedSource: Hashable {
    private let key: ImageCacheKey?
    private let version: SourceVersion?
    /// The byte count and a hash of the first and the last 4 KiB. Distinguishes two animations at one address, as after
    /// a reload, without reading all bytes.
    private var content: [Int] = []

    /// - Parameter request: the view's request, before it was fitted to the view's size.
    init(_ response: ImageResponse, of request: ImageRequest?) {
        key = request?.imageCacheKey
        version = response.container.sourceVersion
        guard let data = response.container.data else { return }
        var hasher = Hasher()
        // `Data` itself hashes only 80 bytes.
        for part in [data.prefix(4096), data.suffix(4096)] { part.withUnsafeBytes { hasher.combine(bytes: $0) } }
        content = [data.count, hasher.finalize()]
    }
}
#endif
