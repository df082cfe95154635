import Firn
import FirnMigration
import FirnSync
import FirnTesting
import Foundation
import FoundationNetworking
import Testing

/// Requests, calls and settings by Nuke's names.
@Suite(.timeLimit(.minutes(5))) struct NukeRequestTests {
    private static let url = URL(string: "https://example.org/a?token=1")

    @Test func `An image id in the user info is the name in cache keys`() {
        let request = ImageRequest(url: Self.url, userInfo: [.imageIdKey: "a"])
        #expect(request.imageId == "a")
        #expect(ImageCacheKey(request: request) == ImageCacheKey(request: ImageRequest(url: URL(string: "a"))))
        var other = ImageRequest(url: Self.url)
        other.imageID = "b"
        other.userInfo["key"] = 1
        #expect(other.imageID == "b")
        other.userInfo[.imageIdKey] = "a"
        #expect(other.imageID == "a")
        other.userInfo[.imageIdKey] = nil
        #expect(other.imageID == nil)
        #expect(other.imageId == Self.url?.absoluteString)
    }

    @Test func `Thumbnail options become the target size`() {
        let options = ImageRequest.ThumbnailOptions(size: CGSize(width: 40.4, height: 30), unit: .points(scale: 2))
        var request = ImageRequest(url: Self.url, userInfo: [.thumbnailKey: options])
        #expect(request.targetSize == TargetSize(width: 81, height: 60, mode: .fill))
        request.thumbnail = .init(maxPixelSize: 400)
        #expect(request.targetSize == TargetSize(400))
        #expect(request.thumbnail == .init(maxPixelSize: 400))
        request.thumbnail = nil
        #expect(request.targetSize == nil)
        request.thumbnail = .init(maxPixelSize: .infinity)
        #expect(request.targetSize?.size == PixelSize(-1))
        request.thumbnail = .init(maxPixelSize: .nan)
        #expect(request.targetSize?.size == PixelSize(-1))
    }

    @Test func `a CGSize is a target size that images fit into`() async throws {
        #expect(TargetSize(CGSize(width: 40.4, height: 30)) == TargetSize(width: 40, height: 30))
        let data = try Bitmap(width: 8, height: 4, color: .red).pngData()
        let image = try await Bitmap(data: data, targetSize: CGSize(width: 4, height: 4))
        #expect(image.size == PixelSize(width: 4, height: 2))
    }

    @Test func `Sizes as CGSize fill by default, in pixels`() throws {
        func name(_ processor: some ImageProcessing) -> String { processor.identifier }
        #expect(
            name(.resize(size: CGSize(width: 44, height: 30), crop: true))
                == name(.resize(size: PixelSize(width: 44, height: 30), contentMode: .fill, crop: true)))
        #expect(
            name(.resize(size: CGSize(width: 44, height: 30), contentMode: .aspectFit, crop: true))
                == name(.resize(size: PixelSize(width: 44, height: 30))))
        let image = try ImageContainer(image: Bitmap(size: 9) { _ in })
        for side in [Double.nan, .infinity, -.infinity] {
            let resize = ImageProcessors.Resize(size: CGSize(width: side, height: 300))
            #expect(throws: ImageError.self) { try resize.process(image) }
        }
        #expect(name(.resize(width: 43.6)) == name(.resize(width: 44)))
        #expect(name(.resize(height: 2.0, unit: .points(scale: 3))) == name(.resize(height: 6)))
    }

    @Test func `A URLRequest is sent unchanged`() throws {
        var sent = URLRequest(url: try #require(Self.url))
        sent.httpMethod = "POST"
        sent.httpBody = Data("x".utf8)
        sent.setValue("b", forHTTPHeaderField: "A")
        let request = ImageRequest(urlRequest: sent)
        #expect(request.dataRequest?.method == "POST")
        #expect(request.dataRequest?.body == Data("x".utf8))
        #expect(request.dataRequest?.headers["A"] == "b")
        #expect(request.urlRequest?.value(forHTTPHeaderField: "A") == "b")
        #expect(request.urlRequest?.url == Self.url)
    }

    @Test func `Progress is reported as numbers, on the queue, and before the end`() async throws {
        let url = "https://example.org/p"
        let loader = ScriptedLoader()
        let data = ScriptedDecoder.image(PixelSize(width: 4, height: 3))
        loader.respond(to: url, with: data, chunkSize: 5)
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()]))
        let steps = Locked<[Int64]>([])
        let size = await withCheckedContinuation { continuation in
            pipeline.loadImage(
                with: ImageRequest(url: url), queue: .global(),
                progress: { _, completed, _ in steps.withLock { $0.append(completed) } },
                completion: { continuation.resume(returning: try? $0.get().image.size) })
        }
        #expect(size == PixelSize(width: 4, height: 3))
        let seen = steps.withLock { $0 }
        #expect(seen == seen.sorted())
        #expect(seen.allSatisfy { $0 <= data.count })
    }

    @Test func `A configuration has the shared memory cache, and the named data cache its limit`() throws {
        let plain = ImagePipeline.Configuration()
        #expect(plain.imageCache as? ImageCache === ImageCache.shared)
        #expect(plain.dataCache == nil)  // in tests
        #expect(ImagePipeline().configuration.imageCache as? ImageCache === ImageCache.shared)
        let kept = ImagePipeline.Configuration.withDataCache(name: "firn.test", sizeLimit: 1000)
        #expect(kept.imageCache as? ImageCache === ImageCache.shared)
        let cache = try #require(kept.dataCache as? DataCache)
        #expect(cache.sizeLimit == 1000)
        #expect(cache.path.path.hasSuffix("/firn.test"))
        #expect(ImagePipeline.Configuration.withDataCache(name: "a/b").dataCache == nil)
    }

    @Test func `Images are resized and cropped to the sizes of Core Graphics`() throws {
        let image = try Bitmap(width: 60, height: 40, color: .gray)
        #expect(try image.resized(to: CGSize(width: 30, height: 30)).size == PixelSize(30))
        let fitted = try image.resized(to: CGSize(width: 30, height: 30), contentMode: .aspectFit)
        #expect(fitted.size == PixelSize(width: 30, height: 20))
        let part = try image.cropped(to: CGRect(x: 49.6, y: -5, width: 20, height: 15))
        #expect(part.size == PixelSize(width: 10, height: 10))
        for side in [CGFloat.nan, .infinity, 0] {
            #expect(throws: ImageError.self) { try image.cropped(to: CGRect(x: 0, y: 0, width: side, height: 5)) }
        }
    }

    @Test func `Resumable data is kept unless it is turned off`() {
        var configuration = ImagePipeline.Configuration()
        #expect(configuration.isResumableDataEnabled)
        configuration.isResumableDataEnabled = false
        #expect(configuration.scheduling.partialBodyLimit == 0)
        configuration.isResumableDataEnabled = true
        #expect(configuration.scheduling == ImagePipeline.Scheduling())
    }

    @Test func `The memory cache's limits have Nuke's names`() {
        let cache = ImageCache(costLimit: 1000, countLimit: 7)
        #expect(cache.limits.bytes == 1000)
        #expect(cache.limits.count == 7)
        cache.ttl = 1.5
        cache.entryCostLimit = 0.1
        #expect(cache.limits.age == .milliseconds(1500))
        #expect(cache.limits.entryBytes == 100)
        cache.ttl = nil
        cache.entryCostLimit = .nan
        #expect(cache.limits.age == nil)
    }
}
