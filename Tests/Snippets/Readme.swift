// snippet.readme
import Firn
// snippet.end
import FirnTelemetry
import FoundationEssentials

/// The code of README, but for GTK.
enum Readme {
    static func first() async throws -> ImageTask {
        // snippet.readme
        // A memory cache, and originals kept on disk between launches.
        let pipeline = ImagePipeline(configuration: .standard(cacheDirectory: "/home/me/.cache/pictures"))

        // One picture, no larger than it will be shown.
        let request = ImageRequest(
            url: "https://example.org/photo.jpg",
            priority: .high,
            targetSize: TargetSize(PixelSize(width: 640, height: 480)))
        let picture = try await pipeline.image(for: request)  // Bitmap: BGRA, premultiplied, sRGB, 64-byte rows

        // The same with progress, a change of mind, and an end that comes exactly once.
        let task = pipeline.imageTask(with: request)
        task.priority = .veryHigh
        for await event in task.events {
            switch event {
            case .progress(let progress): print(progress.fraction)
            case .preview(let early): print(early.image.size)  // made only for those who look
            case .finished(let result): print(result)
            }
        }

        // Without async: the completion runs on the main queue, or on the executor you name.
        pipeline.loadImage(with: request) { result in print(result) }

        // Changed on the way: an exact crop, and a change of your own.
        let thumbnail = ImageRequest(
            path: "/home/me/Pictures/holiday.jpg",
            processors: [ImageProcessors.Resize(size: PixelSize(width: 256, height: 256), mode: .fill, crop: true)])
        // snippet.end
        print(picture, thumbnail)
        return task
    }

    static func ahead(_ pipeline: ImagePipeline, _ nextPage: [ImageRequest], _ task: ImageTask) -> ImagePrefetcher {
        // snippet.readme-ahead
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.startPrefetching(with: nextPage)  // [ImageRequest], two at a time, never in the way
        task.pause()  // counts for nothing until task.resume()
        pipeline.scheduling.order = .lastInFirstOut  // limits, order and suspension change while it runs
        // snippet.end
        return prefetcher
    }

    static func network() -> ImagePipeline.Configuration {
        // snippet.readme-network
        var loader = DataLoader.Configuration()
        loader.network = .guarded  // public addresses only, checked where the connection goes
        var configuration = ImagePipeline.Configuration.standard(
            cacheDirectory: "/home/me/.cache/pictures",  // originals, and the first bytes of those that still arrive
            bitmapDirectory: "/home/me/.cache/pictures",  // opt-in: decoded pictures, mapped instead of decoded
            loader: loader)
        configuration.dataCachePolicy = .automatic  // which pictures are kept on disk as they were made
        configuration.observers = [LogObserver(), MetricsObserver()]  // FirnTelemetry
        // snippet.end
        return configuration
    }

    static func decoder(_ bytes: Data) throws {
        // snippet.readme-decoder
        let decoder = ImageDecoder()
        try decoder.append(bytes)  // any split of the file gives the same pictures
        print(decoder.status, decoder.frameCount, decoder.repetitionCount as Any)
        let early = try decoder.preview()
        decoder.finish()
        let frame = try decoder.frame(at: 3).image()

        let animation = AnimatedImage(decoder: decoder)
        let viewer = animation.makeViewer()
        let picture = viewer.frame()  // never waits
        // snippet.end
        print(early as Any, frame, picture as Any)
    }
}
