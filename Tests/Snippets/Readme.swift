// snippet.readme
import Firn
// snippet.end
import FirnTelemetry
import FoundationEssentials

/// The code of README, but for GTK.
enum Readme {
    static func first() async throws {
        // snippet.readme
        let pipeline = ImagePipeline(configuration: .standard(cacheDirectory: "/home/me/.cache/images"))
        let request = ImageRequest(
            url: "https://example.org/photo.jpg", targetSize: TargetSize(width: 640, height: 480))
        let image = try await pipeline.image(for: request)

        let task = pipeline.imageTask(with: request)
        for await preview in task.previews { print(preview.image.size) }
        // snippet.end
        print(image)
    }

    static func network() -> ImagePipeline.Configuration {
        // snippet.readme-network
        var loader = DataLoader.Configuration()
        loader.network = .guarded  // public addresses only, checked where the connection goes
        var configuration = ImagePipeline.Configuration.standard(
            cacheDirectory: "/home/me/.cache/images",  // originals, and the first bytes of those that still arrive
            bitmapDirectory: "/home/me/.cache/images",  // opt-in: decoded images, mapped instead of decoded
            loader: loader)
        configuration.dataCachePolicy = .automatic  // which images are kept on disk as they were made
        configuration.observers = [TimelineRecorder()]  // FirnTelemetry
        // snippet.end
        return configuration
    }
}
