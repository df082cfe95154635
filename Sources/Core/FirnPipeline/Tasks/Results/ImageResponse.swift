/// A loaded image, and where it came from.
public struct ImageResponse: Sendable {
    /// The request.
    public let request: ImageRequest
    let origin: Origin

    /// The result that all tasks of a job share.
    final class Origin: Sendable {
        let container: ImageContainer
        private let sharedResponse: Box<DataResponse>?
        var dataResponse: DataResponse? { sharedResponse?.value }
        let cacheType: CacheType?
        /// The bytes, for a task that requested bytes and no image. `container` is a placeholder then.
        let bytes: FetchedBytes?
        let isStale: Bool
        /// The number of bytes that had arrived when the image was made.
        let progress: ImageTask.Progress
        /// The bytes, for a task that only waits until the data cache has stored them.
        let proof: FetchedBytes?
        /// The result of a rendering. `container` is a placeholder then.
        let value: (any Sendable)?

        init(
            _ container: ImageContainer, _ response: Box<DataResponse>? = nil, _ cacheType: CacheType? = nil,
            isStale: Bool = false, progress: ImageTask.Progress = .none, bytes: FetchedBytes? = nil,
            proof: FetchedBytes? = nil, value: (any Sendable)? = nil
        ) {
            self.isStale = isStale
            self.progress = progress
            self.proof = proof
            self.value = value
            self.container = container
            self.bytes = bytes
            sharedResponse = response
            self.cacheType = cacheType
        }
    }

    /// The placeholder for the image of a response that has bytes only; `nil` if there is no memory for one pixel.
    static let standIn: ImageContainer? =
        (try? Bitmap(size: PixelSize(1)) { _ in }).map { ImageContainer(image: $0) }

    /// The image and its format.
    public var container: ImageContainer { origin.container }
    /// The response of the source; `nil` if no source was contacted.
    public var dataResponse: DataResponse? { origin.dataResponse }
    /// The cache of the image or its bytes; `nil` if the bytes were loaded.
    public var cacheType: CacheType? { origin.cacheType }

    /// A cache layer.
    public enum CacheType: String, Sendable {
        /// The memory cache, which stores decoded images.
        case memory
        /// The data cache, which stores bytes on disk.
        case disk
        /// The bitmap store, which stores decoded images on disk.
        case bitmap
    }

    /// The result of a rendering; `nil` for other requests.
    package var rendered: (any Sendable)? { origin.value }

    /// The pixels.
    public var image: Bitmap { container.image }
    /// True if this is a preview of an image that is still arriving.
    public var isPreview: Bool { container.isPreview }
    /// False if the file is cut short or damaged, and the image shows it as far as it goes: see
    /// ``/FirnImage/ImageContainer/damage``.
    public var isComplete: Bool { container.isComplete }
    /// True if the image was stored and is no longer fresh. It is a preview until its source has responded. It is the
    /// result if the source could not be reached, failed, or must not be contacted.
    public var isStale: Bool { origin.isStale }

    /// Creates a response.
    public init(
        container: ImageContainer, request: ImageRequest, dataResponse: DataResponse? = nil,
        cacheType: CacheType? = nil
    ) {
        self.request = request
        origin = Origin(container, dataResponse.map { Box($0) }, cacheType)
    }

    /// Returns whether both are the result of one load.
    package func hasSameOrigin(as other: ImageResponse) -> Bool { origin === other.origin }

    init(_ origin: Origin, for request: ImageRequest) {
        self.origin = origin
        self.request = request
    }

    /// The metrics of the transfer of the bytes: lookup, connection, response, bytes, attempts. `nil` for bytes from a
    /// cache or a file, for images that were decoded before their last byte arrived, and for loaders that do not
    /// measure.
    public var metrics: TransferMetrics? { cacheType == nil ? dataResponse?.metrics : nil }
}

/// A value behind a reference: one that is copied more often than it is read.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
