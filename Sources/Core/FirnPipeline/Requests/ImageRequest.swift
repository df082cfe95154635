public import FoundationEssentials

/// A request for an image: its source, processors, target size, priority and cache options.
///
/// A value that is cheap to copy and can be used any number of times. Its identities (cache keys, keys of shared work)
/// are computed when it is created or changed, not when it is loaded.
public struct ImageRequest: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The priority of a request.
    public typealias Priority = DataPriority

    private(set) var storage: Storage

    init(_ storage: Storage) { self.storage = storage }

    /// Creates a request for the image at `url`; if `url` is `nil`, the load fails with fault `request`.
    ///
    /// - Parameter headers: header fields of the request: `["Authorization": "Bearer 123"]`. They are part of its
    ///   identity. Default: none.
    public init(
        url: URL?, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        headers: HTTPHeaderFields = HTTPHeaderFields(), targetSize: TargetSize? = nil
    ) {
        self.init(
            url: url?.absoluteString ?? ImageRequest.noAddress, processors: processors, priority: priority,
            options: options, headers: headers, targetSize: targetSize)
    }

    /// Creates a request for the image at the address `url`.
    ///
    /// `https:` and `http:` go to the pipeline's loader, `file:` and `data:` are read by the pipeline. Other schemes,
    /// such as `ftp:`, are not loaded by the loaders of this package. The text is read as browsers read it (WHATWG URL
    /// standard): invalid characters are encoded, encoded ones stay, and white space around it is dropped. An address
    /// that cannot be used makes the load fail with fault `request`.
    public init(
        url: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        headers: HTTPHeaderFields = HTTPHeaderFields(), targetSize: TargetSize? = nil
    ) {
        self.init(
            dataRequest: DataRequest(url: url, headers: headers), processors: processors, priority: priority,
            options: options, targetSize: targetSize)
    }

    /// Creates a request for the image at the address in a string literal.
    public init(stringLiteral url: String) { self.init(url: url) }

    /// Stands in for a missing address, from which nothing can be loaded.
    static let noAddress = "(no address)"

    /// Creates a request for the image in the file at `path`.
    public init(
        path: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil
    ) {
        self.init(
            url: FileAddress.url(ofPath: path), processors: processors, priority: priority, options: options,
            targetSize: targetSize)
    }

    /// Creates a request with its own method and header fields, which are part of its identity.
    public init(
        dataRequest: DataRequest, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], targetSize: TargetSize? = nil
    ) {
        var dataRequest = dataRequest
        dataRequest.url = ImageSource.normalized(dataRequest.url)
        let options = dataRequest.isUntrusted ? options.union(.untrustedAddress) : options
        storage = Storage(.address(dataRequest), id: nil, processors, priority, options, targetSize)
    }

    /// The processors that are applied to the decoded image, in order.
    public var processors: [any ImageProcessing] {
        get { storage.processors }
        set { change { $0.processors = newValue } }
    }

    /// The target size of the displayed image. The decoder decodes no more pixels than this needs, and the image that
    /// the processors get has exactly `targetSize.resolved(for:)` pixels. `nil` for every pixel.
    public var targetSize: TargetSize? {
        get { storage.targetSize }
        set { change { $0.targetSize = newValue } }
    }

    /// The part of the image to load: pixels of the upright image at its full size, or fractions of its sides. `nil`
    /// (the default) for the whole image.
    ///
    /// ``targetSize`` then applies to the region, and processors get the region as their image. Decoders do as little
    /// work outside of the region as the format allows. The image of an animation is the region of its first frame. A
    /// region without a pixel in the image makes the load fail with fault `request`.
    public var region: ImageRegion? {
        get { storage.region }
        set { change { $0.region = newValue } }
    }

    /// The pixel layout of the image. Default: `bgra8Premultiplied`, the screen's.
    ///
    /// `rgb8` is a preference: images that may be transparent, and previews with missing rows, have the layout
    /// `bgra8Premultiplied`.
    public var pixelFormat: PixelFormat {
        get { storage.pixelFormat }
        set { change { $0.pixelFormat = newValue } }
    }

    /// The id that replaces the address, or the id that the request was created with, in cache keys: for addresses with
    /// a signature or token that changes.
    public var imageID: String? {
        get { storage.imageID ?? storage.sourceID }
        set { change { $0.imageID = newValue } }
    }

    /// The caches that the request reads and writes.
    public var options: Options {
        get { storage.options }
        set { change { $0.options = newValue } }
    }

    /// The priority with which a task starts. Later changes go to ``ImageTask/priority``.
    public var priority: Priority {
        get { storage.priority }
        set { alter { $0.priority = newValue } }
    }

    /// Values that the caller attaches, for a delegate of the pipeline or for itself. Not part of the request's
    /// identity, except `imageIdKey`, which sets ``imageID``.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { storage.userInfo }
        set {
            let former = storage.userInfo
            alter { $0.userInfo = newValue }
            let id = newValue[.imageIdKey] as? String
            if id != former[.imageIdKey] as? String { imageID = id }
            let size = (newValue[.thumbnail] as? any ThumbnailSize)?.targetSize
            if size != (former[.thumbnail] as? any ThumbnailSize)?.targetSize { targetSize = size }
        }
    }

    /// The address as a `URL`; `nil` for a request without an address, and for an address that is not a valid URL.
    public var url: URL? { dataRequest.flatMap { WebAddress.url($0.url) } }

    /// The request as sent; `nil` if there is no address.
    public var dataRequest: DataRequest? {
        guard case .address(var request) = storage.source else { return nil }
        if !storage.options.isTrusted { request.isUntrusted = true }
        return request
    }

    var origin: ImageOrigin {
        guard storage.options.isTrusted else { return .loader }
        if case .loader = storage.source.reader { return .loader } else { return .program }
    }

    /// The address or the id.
    public var description: String {
        switch storage.source {
        case .address(let request): request.url
        case .bytes, .closure, .image: storage.sourceID ?? ""
        }
    }

    var source: ImageSource { @inline(__always) _read { yield storage.source } }
    /// Borrowed, not copied: only the identity that the caller reads is retained.
    var identities: Identities { @inline(__always) _read { yield storage.identities } }
    /// True if the request reads the memory cache; without a copy-on-write check.
    var readsMemory: Bool { storage.options.readsMemory && !storage.wantsBytes }
    /// True if its image is stored in the memory cache.
    var writesMemory: Bool { storage.options.writesMemory && !storage.wantsBytes }
    /// True if the bytes, or a rendering, are requested and no image.
    var wantsBytes: Bool { storage.wantsBytes }
    /// True if the bytes are requested as they are at their source.
    var wantsOriginal: Bool { storage.wantsBytes && storage.rendering == nil }
    /// Makes the result of a request for a rendering; `nil` for other requests.
    var rendering: ImageRendering? { storage.rendering?.value }

    /// The request with a view's size, pixel layout and priority, as far as the view has any. The two latest are
    /// remembered.
    package func fitted(to size: TargetSize?, format: PixelFormat?, priority: Priority? = nil) -> ImageRequest {
        let (size, format) = (size ?? storage.targetSize, format ?? storage.pixelFormat)
        let priority = priority ?? storage.priority
        let isSameImage = size == storage.targetSize && format == storage.pixelFormat
        if isSameImage, priority == storage.priority { return self }
        if let known = storage.variant(size, format, priority) { return ImageRequest(known) }
        var request = self
        if isSameImage {
            request.priority = priority
        } else {
            request.change {
                $0.targetSize = size
                $0.pixelFormat = format
                $0.priority = priority
            }
        }
        storage.remember(request.storage)
        return request
    }

    /// The same resource with the same options, as a request for its bytes.
    var forBytes: ImageRequest {
        changed {
            $0.wantsBytes = true
            $0.processors = []
            $0.targetSize = nil
            $0.region = nil
        }
    }

    /// The same request without processors, target size and region.
    var unmade: ImageRequest { changed { ($0.processors, $0.targetSize, $0.region) = ([], nil, nil) } }

    /// The request with `id` in place of the address in cache keys; overrides the caller's id.
    func cached(as id: String) -> ImageRequest { changed { $0.cacheID = id } }

    /// Returns a copy with other identities.
    func changed(_ body: (Storage) -> Void) -> ImageRequest {
        var request = self
        request.change(body)
        return request
    }

    /// Changes a property that is not part of the identities.
    mutating func alter(_ body: (Storage) -> Void) {
        if isKnownUniquelyReferenced(&storage) {
            storage.forgetVariants()
        } else {
            storage = Storage(copying: storage)
        }
        body(storage)
    }

    mutating func change(_ body: (Storage) -> Void) {
        alter(body)
        storage.identities = Identities(storage)
    }

    /// The time for which a cached image is served without asking its source.
    public enum Freshness: Hashable, Sendable {
        /// As stated by the source, by the rules of HTTP. For a source that states nothing, the pipeline's HTTP cache
        /// policy applies. The default.
        case followsSource
        /// Forever, for addresses whose content never changes, such as those that contain its hash.
        case unlimited
        /// This time after loading, whatever the source states.
        case limited(Duration)
    }

    /// The freshness of this request's cached data; `nil` (the default) for the pipeline's. Not part of the request's
    /// identity: a request that joins running work gets the result of that work. A `no-store` response is never stored.
    public var freshness: Freshness? {
        get { storage.freshness }
        set { alter { $0.freshness = newValue } }
    }
}
