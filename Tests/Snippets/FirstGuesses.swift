import Firn
import Foundation

/// First guesses of people who know Nuke, Kingfisher, Foundation, Pillow or sharp, written down before they looked at
/// the interface. Only compiled: each must stay valid with `import Firn` alone.
enum FirstGuesses {
    static func loading(_ url: URL, _ urls: [URL], _ pipeline: ImagePipeline) async throws {
        print(try await ImagePipeline.shared.image(for: "https://example.com/a.jpg"))
        print(try await pipeline.image(for: ImageRequest(url: url, processors: [.resize(width: 320)])))
        print(try await pipeline.image(for: url, targetSize: 256).circle().pngData())
        print(ImageRequest(url: url, processors: [.gaussianBlur(radius: 8), .roundedCorners(radius: 12)]))
        print(ImageRequest(url: url, processors: [.circle()], priority: .high))
        print(ImageRequest(url: url, options: [.reloadIgnoringCachedData]))
        let task = pipeline.imageTask(with: url)
        task.priority = .low
        task.cancel()
        for await progress in task.progress { print(progress.completed, progress.total as Any) }
        for try await preview in task.previews { print(preview.image.width) }
        let prefetcher = ImagePrefetcher()
        prefetcher.startPrefetching(with: urls)
        prefetcher.stopPrefetching()
        let (data, _) = try await pipeline.data(for: ImageRequest(url: url))
        print(data)
        try await pipeline.download(url, to: URL(fileURLWithPath: "/tmp/a.jpg"))
    }

    static func caching(_ url: URL, _ image: Bitmap) {
        let cache = ImagePipeline.shared.cache
        print(cache[url] as Any, cache.cachedImage(for: url) as Any, cache.containsCachedImage(for: url))
        cache.storeCachedImage(ImageContainer(image: image), for: ImageRequest(url: url))
        cache.removeCachedImage(for: url)
        cache.removeAll()
        print(ImagePipeline.shared.cachedImage(for: url) as Any)
        ImagePipeline.shared = ImagePipeline(configuration: .withDataCache(name: "org.example", sizeLimit: 200 << 20))
        ImagePipeline.shared = ImagePipeline {
            $0.dataLoader = DataLoader()
            $0.imageCache = ImageCache(costLimit: 50_000_000)
        }
    }

    static func files(_ url: URL, _ data: Data, _ image: Bitmap) async throws {
        try await image.write(to: URL(fileURLWithPath: "/tmp/out.png"))
        print(try image.encoded(as: .webp, quality: 0.8), try image.grayscale().blurred(radius: 4))
        print(image[10, 20].red, image.averageColor() as Any, image.blurHash() as Any)
        let properties = try await ImageProperties(contentsOf: url)
        print(properties.width, properties.height, properties.orientation, properties.format)
        let animation = try await AnimatedImage(contentsOf: url)
        print(animation.frames.count, animation.loopCount as Any, animation.duration)
        for frame in try await AnimatedImage(data: data).frames { print(frame.duration as Any, try frame.image()) }
    }

    static func group(_ urls: [URL]) async throws -> [Bitmap] {
        try await withThrowingTaskGroup(of: Bitmap.self) { group in
            for url in urls { group.addTask { try await ImagePipeline.shared.image(for: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
