import FirnSync

/// The HTTP caches over the data caches of a pipeline.
///
/// The engine itself reads and stores the responses to plain GETs, because it shares their bytes while they arrive,
/// shows stale images, and stores only decoded responses. Every other request goes through one of these caches, which
/// use the same entries: ranges, conditions of the caller, HEAD, POST, and methods that invalidate.
final class ResponseCaches: Sendable {
    private let configuration: ImagePipeline.Configuration
    private let policy: HTTPCachePolicy
    /// By data cache, since a delegate may choose one for each request.
    private let caches = RecentValues<ObjectIdentifier, HTTPCache>(capacity: 4)
    private let invalidated = Locked<@Sendable (String) -> Void>({ _ in })

    init(_ policy: HTTPCachePolicy, _ configuration: ImagePipeline.Configuration) {
        self.policy = policy
        self.configuration = configuration
    }

    /// Sets the closure to call for each address that an unsafe request has invalidated, once its responses are
    /// removed.
    func whenInvalidated(_ body: @escaping @Sendable (String) -> Void) { invalidated.withLock { $0 = body } }

    func cache(over dataCache: any DataCaching) -> HTTPCache {
        caches.value(for: ObjectIdentifier(dataCache as AnyObject)) {
            let store = ResponseStore(cache: dataCache) {
                ImageRequest.Identities.key(ofAddress: $0)
            } accepts: { [configuration] response, body in
                // A part from the middle of a body says nothing about its format.
                if response.status == 206, let part = StoredPart(response), part.first > 0 { return true }
                let context = ImageDecodingContext(
                    request: ImageRequest(url: response.url), data: body.prefix(ImageFormat.sniffLength),
                    response: DataResponse(url: response.url, status: response.status, headers: response.headers))
                return configuration.makeImageDecoder(context) != nil
            } invalidated: { [invalidated] url in
                invalidated.withLock { $0 }(url)
            }
            return HTTPCache(
                loader: configuration.dataLoader, in: store, policy: policy, undoesCodings: true,
                bodyLimit: configuration.limits.maximumBytes, now: configuration.now, run: HTTPCache.onThread)
        }
    }
}

/// The data cache of a pipeline that has none.
final class NoData: DataCaching {
    static let none = NoData()

    func entry(for key: String) -> DataCacheEntry? { nil }
    func contains(_ key: String) -> Bool { false }
    func store(_ entry: DataCacheEntry, for key: String) {}
    func remove(_ key: String) {}
    func removeAll() {}
}

extension DataRequest {
    /// True if the request is a GET for the current whole body, which requests for images share.
    var isPlain: Bool {
        guard method == "GET", body == nil else { return false }
        return headers.fields.allSatisfy { field in
            let name = field.name.lowercased()
            return !DataRequest.selective.contains(name)
                && (name != "cache-control" || !CacheDirectives(headers).has("only-if-cached"))
        }
    }

    /// Fields that request a part of the body, or a comparison with the caller's copy.
    private static let selective: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]
}
