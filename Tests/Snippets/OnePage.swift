import Firn
import FoundationEssentials

#if GTK
import CGTK4
import FirnGTK
#endif

/// The code of the page with all everyday calls. Each line is the first that a reader who knows Nuke, Foundation, UIKit
/// or Pillow would try.
enum OnePage {
    static func loading(_ url: URL) async throws {
        // snippet.one-load
        let image = try await ImagePipeline.shared.image(for: url)
        let thumbnail = try await ImagePipeline.shared.image(for: url, targetSize: 256)
        let (data, _) = try await ImagePipeline.shared.data(for: url)
        ImagePipeline.shared.loadImage(with: url) { result in
            if case .success(let response) = result { Screen.show(response.image) }
        }
        // snippet.end
        print(image, thumbnail, data)
    }

    static func requests(_ url: URL, _ data: Data) {
        // snippet.one-request
        var request = ImageRequest(url: url, processors: [.resize(width: 320)], priority: .high)
        request = ImageRequest(url: url, headers: ["Authorization": "Bearer 123"])
        request.processors = [.resize(size: 200, crop: true), .circle()]
        request.targetSize = TargetSize(width: 640, height: 480)
        request.options = [.reloadIgnoringCachedData]
        let local = ImageRequest(path: "/home/me/Images/holiday.jpg")
        let inMemory = ImageRequest(id: "avatar-17", data: data)
        // snippet.end
        print(request, local, inMemory)
    }

    static func tasks(_ url: URL, _ urls: [URL]) async throws {
        // snippet.one-task
        let task = ImagePipeline.shared.imageTask(with: url)
        task.priority = .veryHigh
        for await progress in task.progress { print(progress.fraction) }
        for await preview in task.previews { Screen.show(preview.image) }
        let response = try await task.response
        task.cancel()

        let prefetcher = ImagePrefetcher()
        prefetcher.startPrefetching(with: urls)
        prefetcher.stopPrefetching()
        // snippet.end
        print(response)
    }

    static func caches(_ url: URL, _ request: ImageRequest, _ image: Bitmap, _ folder: URL) throws {
        // snippet.one-cache
        let cache = ImagePipeline.shared.cache
        let cached = cache[url]?.image
        let isCached = cache.containsCachedImage(for: request)
        cache.storeCachedImage(ImageContainer(image: image), for: request)
        cache.removeCachedImage(for: request)
        cache.removeAll()
        ImageCache.shared.costLimit = 256 << 20
        ImageCache.shared.ttl = 600
        ImagePipeline.shared = ImagePipeline { $0.dataCache = .disk(at: folder, limit: 500 << 20) }
        ImagePipeline.shared = ImagePipeline { $0.dataCache = try? DataCache(name: "org.example.images") }
        // snippet.end
        print(cached as Any, isCached)
    }

    static func files(_ file: URL, _ copy: URL, _ data: Data) async throws {
        // snippet.one-file
        let image = try await Bitmap(contentsOf: file)
        let thumbnail = try await Bitmap(contentsOf: file, targetSize: 256)
        let decoded = try await Bitmap(data: data)
        let size = try await ImageProperties(contentsOf: file).displaySize
        let camera = try await ImageProperties(data: data).metadata.camera
        try await image.write(to: copy)
        try await image.write(toPath: "/tmp/holiday.webp", quality: 0.8)
        // snippet.end
        print(thumbnail, decoded, size, camera as Any)
    }

    static func bitmaps(_ image: Bitmap, _ logo: Bitmap) async throws {
        // snippet.one-bitmap
        let png = try image.pngData()
        let jpeg = try image.jpegData(quality: 0.8)
        let webp = try image.encoded(as: .webp, quality: 0.8)
        let avif = try image.encoded(as: .avif(quality: 0.5, speed: 6))
        let fitted = try image.resized(to: PixelSize(width: 640, height: 480), contentMode: .fit)
        let part = try image.cropped(x: 10, y: 10, width: 100, height: 100)
        let turned = try image.rotated(by: 90).flippedHorizontally()
        let soft = try image.blurred(radius: 8).grayscale().roundedCorners(radius: 16)
        let marked = try image.overlaying(logo, anchor: .bottomRight, opacity: 0.5)
        let avatar = try await image.applying([.resize(size: 64, crop: true), .circle()])
        let red = try Bitmap(width: 100, height: 100, color: .red)
        let pixel = image[10, 20]
        let hash = image.blurHash()
        let placeholder = Bitmap(blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        // snippet.end
        print(png, jpeg, webp, avif, fitted, part, turned, soft, marked, avatar, red, pixel)
        print(hash as Any, placeholder as Any)
    }

    static func frames(_ file: URL) async throws {
        // snippet.one-animation
        let animation = try await AnimatedImage(contentsOf: file)
        for frame in animation.frames { print(frame.duration as Any, try frame.image().size) }
        // snippet.end
    }

    static func uploads(_ upload: Data, _ file: URL, _ copy: URL) async throws {
        // snippet.one-upload
        let converter = try ImageConverter(.upload)
        let webp = try await converter.convert(upload, to: .webp, targetSize: 1600).data
        try await converter.convert(contentsOf: file, to: copy, quality: 0.8)
        // snippet.end
        print(webp)
    }

    #if GTK
    @MainActor static func views(_ url: URL, _ urls: [URL], _ box: UnsafeMutablePointer<GtkWidget>) {
        // snippet.one-view
        let view = FirnPicture(url)
        view.url = url
        view.request = ImageRequest(url: url, processors: [.circle()])
        box.append(view)
        let list = FirnImageList(urls) { $0 }
        let zoom = FirnZoomView(url)
        // snippet.end
        print(list, zoom)
    }
    #endif
}
