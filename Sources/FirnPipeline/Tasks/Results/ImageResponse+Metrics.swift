public import FirnData

extension ImageResponse {
    /// What the transfer took that brought the bytes: look-up, connection, answer, bytes, attempts. `nil` for what came from a
    /// cache or a file, for images that were made before their last byte came, and from loaders that do not measure.
    public var metrics: TransferMetrics? { cacheType == nil ? dataResponse?.metrics : nil }
}
