import Firn
import FoundationEssentials

/// The code of the articles on caches, on working offline and on memory.
enum CachingSnippets {
    static func offline(_ address: String, _ pipeline: ImagePipeline) async {
        // snippet.offline
        var request = ImageRequest(url: address)
        request.options = .returnCacheDataDontLoad
        if let kept = try? await pipeline.image(for: request) { Screen.show(kept) }
        // snippet.end
    }

    static func prefetch(_ addresses: [String], _ pipeline: ImagePipeline) async {
        // snippet.prefetch
        let prefetcher = ImagePrefetcher(pipeline: pipeline, destination: .diskCache)
        let completions = prefetcher.completions
        prefetcher.startPrefetching(with: addresses.map { ImageRequest(url: $0) })
        for await (request, error) in completions.prefix(addresses.count) {
            print(request, error?.message ?? "is on the disk")
        }
        // snippet.end
    }

    static func flush(_ pipeline: ImagePipeline) async {
        // snippet.flush
        await pipeline.flush()
        // snippet.end
    }

    static func freshness() -> ImageRequest {
        // snippet.freshness
        var request = ImageRequest(url: "https://example.org/ab12cd34.webp")
        request.freshness = .unlimited
        // snippet.end
        return request
    }

    static func layers(_ request: ImageRequest, _ pipeline: ImagePipeline) throws {
        // snippet.layers
        let inMemory = pipeline.cache[request]
        let onDisk = pipeline.cache.cachedData(for: request)
        pipeline.cache.removeCachedImage(for: request)
        pipeline.cache.removeAll(caches: .memory)
        // snippet.end
        print(inMemory as Any, onDisk as Any)
    }

    static func statistics() throws {
        // snippet.cache-statistics
        let memory = ImageCache.shared.statistics
        print("\(memory.count) images, \(memory.bytes) bytes, \(memory.hits) hits")
        if let disk = try DataCache.shared?.statistics() {
            print("\(disk.count) files, \(disk.bytes) bytes, \(disk.evictions) evicted")
        }
        // snippet.end
    }

    static func remove(_ request: ImageRequest, from cache: ImageCache) {
        // snippet.cache-key
        let key = ImageCacheKey(request: request)
        cache.removeImages { $0 == key || $0.isRelative(of: key) }
        // snippet.end
    }

    static func bitmaps() -> ImagePipeline {
        // snippet.bitmaps
        let pipeline = ImagePipeline {
            $0.dataCache = .disk(path: "/home/me/.cache/images", limit: 1 << 30)
            $0.bitmapStore = .disk(path: "/home/me/.cache/images")
        }
        // snippet.end
        return pipeline
    }

    static func budget() {
        // snippet.budget
        MemoryBudget.machine.total = 128 << 20
        // snippet.end
    }

    static func ownBudget() -> ImagePipeline {
        // snippet.own-budget
        let pipeline = ImagePipeline {
            $0.imageCache = .memory(limit: 64 << 20, budget: MemoryBudget(total: 96 << 20))
            $0.scheduling.computingLimit = 2
        }
        // snippet.end
        return pipeline
    }

    static func purge() -> ImagePipeline {
        // snippet.purge
        let cache = ImageCache(costLimit: 100 << 20, purgeLevel: 0.6)
        let pipeline = ImagePipeline { $0.imageCache = cache }
        // snippet.end
        return pipeline
    }

    static func usage() {
        // snippet.usage
        let budget = MemoryBudget.machine
        let (decoding, cached) = (budget.decodingBytes, budget.cachedBytes)
        print("decodes \(decoding), caches \(cached) of \(budget.total) bytes")
        // snippet.end
    }

    static func prefetchAhead(_ pipeline: ImagePipeline, _ requests: [ImageRequest]) {
        // snippet.ahead
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        var ahead = 0..<0

        func scrolled(to visible: Range<Int>) {
            let former = ahead
            let end = min(visible.upperBound + visible.count, requests.count)
            ahead = visible.upperBound..<end
            prefetcher.stopPrefetching(
                with: former.filter { !ahead.contains($0) }.map { requests[$0] })
            prefetcher.startPrefetching(
                with: ahead.filter { !former.contains($0) }.map { requests[$0] })
        }
        // snippet.end
        scrolled(to: 0..<12)
    }
}
