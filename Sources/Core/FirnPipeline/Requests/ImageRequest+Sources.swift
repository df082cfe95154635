public import FirnData
public import FirnImage
public import FoundationEssentials

// Requests that have no address.
extension ImageRequest {
    /// Creates a request for an image whose bytes are in memory.
    ///
    /// - Parameter id: identifies the bytes: requests with equal ids share work and cache entries.
    public init(
        id: String, data: Data, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], targetSize: TargetSize? = nil
    ) {
        self.init(
            Storage(
                source: .bytes(data), id: id, processors: processors, priority: priority, options: options,
                targetSize: targetSize))
    }

    /// Creates a request for an image whose bytes a closure fetches.
    ///
    /// - Parameters:
    ///   - id: identifies what the closure returns: requests with equal ids share work and cache entries.
    ///   - data: called at most once for all requests that share the work, on the concurrent executor; cancelled with
    ///     the last of them.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil, data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(
            Storage(
                source: .closure(data), id: id, processors: processors, priority: priority, options: options,
                targetSize: targetSize))
    }

    /// Creates a request for an image that a closure creates. Nothing is decoded, but the image gets the target size,
    /// layout and processors, and is stored in the memory cache. It has no bytes, so it is never in the data cache.
    ///
    /// - Parameters:
    ///   - id: identifies what the closure creates: requests with equal ids share work and memory-cache entries.
    ///   - image: called at most once for all requests that share the work, on the concurrent executor; cancelled with
    ///     the last of them. It takes the place of a transfer and counts as one.
    @_disfavoredOverload
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil, image: @escaping @Sendable () async throws -> ImageContainer
    ) {
        self.init(
            Storage(
                source: .image(image), id: id, processors: processors, priority: priority, options: options,
                targetSize: targetSize))
    }
}
