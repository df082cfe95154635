// snippet.readme
import Firn
// snippet.end
import FirnTelemetry
import FoundationEssentials

/// The code of README, but for GTK.
enum Readme {
    static func first() async throws {
        // snippet.readme
        let pipeline = ImagePipeline.shared
        let request = ImageRequest(
            url: "https://example.org/photo.jpg", targetSize: TargetSize(width: 640, height: 480))
        let image = try await pipeline.image(for: request)

        let task = pipeline.imageTask(with: request)
        for await preview in task.previews { print(preview.image.size) }
        // snippet.end
        print(image)
    }

    static func network() -> ImagePipeline {
        // snippet.readme-network
        let folder = "/home/me/.cache/images"
        let pipeline = ImagePipeline {
            $0.dataLoader = .http { $0.network = .guarded }  // public addresses only, checked where the connection goes
            $0.dataCache = .disk(at: folder)  // originals, and the first bytes of those that still arrive
            $0.bitmapStore = .disk(at: folder)  // opt-in: decoded images, mapped instead of decoded
            $0.dataCachePolicy = .automatic  // which images are kept on disk as they were made
            $0.observers = [TimelineRecorder()]  // FirnTelemetry
        }
        // snippet.end
        return pipeline
    }
}
