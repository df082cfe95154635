// A program written for Nuke, ported to Firn: other imports, and images are `Bitmap`s.
import FirnMigration
import Foundation

/// Shows a gallery of one image: `porting-from-nuke IMAGE OUT.png`.
@main
struct Porting {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: porting-from-nuke IMAGE OUT.png") }

        let delegate = GalleryDelegate(image: try Data(contentsOf: URL(filePath: arguments[1])))
        let pipeline = ImagePipeline(delegate: delegate)
        let photos = ["mountain", "river", "forest"].map { "https://photos.example/\($0).png?token=1" }

        try await prefetch(photos, pipeline)
        try await show(photos[0], pipeline)
        cached(photos[0], pipeline)
        await fail(pipeline)
        let thumbnail = try await resize(photos[1], pipeline)
        try ImageEncoders.png().encode(thumbnail).write(to: URL(filePath: arguments[2]))
        print("sent \(delegate.sent) requests, all signed")
    }

    /// Prefetches images in the background.
    static func prefetch(_ addresses: [String], _ pipeline: ImagePipeline) async throws {
        let prefetcher = ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 1)
        let completions = prefetcher.completions
        prefetcher.startPrefetching(with: addresses.compactMap { URL(string: $0) })
        var left = addresses.count
        for await completion in completions {
            print("prefetched \(completion.request)")
            left -= 1
            if left == 0 { break }
        }
    }

    /// Uses a task: priority, events, response.
    static func show(_ address: String, _ pipeline: ImagePipeline) async throws {
        // snippet.task-nuke
        let task = pipeline.imageTask(with: ImageRequest(url: address, priority: .high))
        task.priority = .veryHigh
        for await event in task.events {
            if case .finished(let result) = event {
                print("shown from \(try result.get().cacheType?.rawValue ?? "source")")
            }
        }
        // snippet.end
        print("shown \(try await task.image.size)")
    }

    /// Reads the caches by request. The token of a URL does not change the image; see the delegate.
    static func cached(_ address: String, _ pipeline: ImagePipeline) {
        let other = ImageRequest(url: address.replacing("token=1", with: "token=2"))
        print("with another token: \(pipeline.cache.containsCachedImage(for: other) ? "cached" : "not cached")")
        pipeline.cache.removeCachedImage(for: other)
        print("removed: \(pipeline.cache.containsCachedImage(for: other) ? "cached" : "not cached")")
    }

    /// Uses a processor, and a completion handler instead of `await`.
    static func resize(_ address: String, _ pipeline: ImagePipeline) async throws -> Bitmap {
        let request = ImageRequest(url: address, processors: [.resize(width: 2)])
        let result = await withCheckedContinuation { continuation in
            pipeline.loadImage(with: request, queue: .global()) { continuation.resume(returning: $0) }
        }
        let response = try result.get()
        print("resized \(response.image.size)")
        return response.image
    }

    /// Shows an error, which has a fault, a stage and a cause.
    static func fail(_ pipeline: ImagePipeline) async {
        do {
            _ = try await pipeline.image(for: "https://photos.example/secret.png")
        } catch {
            print("\(error.fault), \(error.stage): \(error)")
        }
    }
}
