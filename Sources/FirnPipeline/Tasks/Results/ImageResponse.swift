public import FirnData
public import FirnImage
import FoundationEssentials

/// A loaded image, and where it came from.
public struct ImageResponse: Sendable {
    /// The request.
    public let request: ImageRequest
    let origin: Origin

    /// What all who shared the work get: one object, however many they are.
    final class Origin: Sendable {
        let container: ImageContainer
        let dataResponse: DataResponse?
        let cacheType: CacheType?
        /// Joins the bytes that were wanted instead of an image; `container` then means nothing.
        let bytes: (@Sendable () -> Data)?
        let isStale: Bool
        /// How much of the bytes had come when the image was made.
        let progress: ImageTask.Progress
        /// The bytes that are on their way into the data cache, where a task wanted no more than that.
        let proved: FetchedBytes?

        init(
            _ container: ImageContainer, _ dataResponse: DataResponse? = nil, _ cacheType: CacheType? = nil,
            isStale: Bool = false,
            progress: ImageTask.Progress = .none, bytes: (@Sendable () -> Data)? = nil, proved: FetchedBytes? = nil
        ) {
            self.isStale = isStale
            self.progress = progress
            self.proved = proved
            self.container = container
            self.bytes = bytes
            self.dataResponse = dataResponse
            self.cacheType = cacheType
        }
    }

    /// The image and its format.
    public var container: ImageContainer { origin.container }
    /// The response of the source; `nil` if no source was contacted.
    public var dataResponse: DataResponse? { origin.dataResponse }
    /// The cache of the image or its bytes; `nil` if the bytes were loaded.
    public var cacheType: CacheType? { origin.cacheType }

    /// A cache layer.
    public enum CacheType: String, Sendable {
        /// The memory cache, which keeps decoded images.
        case memory
        /// The data cache, which keeps bytes on disk.
        case disk
        /// The bitmap store, which keeps decoded images on disk.
        case bitmap
    }

    /// The pixels.
    public var image: Bitmap { container.image }
    /// Whether this is an early state of an image that is still arriving.
    public var isPreview: Bool { container.isPreview }
    /// Whether the image was cached and is stale: a preview until its source has responded, or the result if the source
    /// could not be reached, failed, or must not be contacted.
    public var isStale: Bool { origin.isStale }

    /// Creates a response.
    public init(
        container: ImageContainer, request: ImageRequest, dataResponse: DataResponse? = nil,
        cacheType: CacheType? = nil
    ) {
        self.request = request
        origin = Origin(container, dataResponse, cacheType)
    }

    /// Whether both are the result of one load.
    package func hasSameOrigin(as other: ImageResponse) -> Bool { origin === other.origin }

    init(_ origin: Origin, for request: ImageRequest) {
        self.origin = origin
        self.request = request
    }
}
