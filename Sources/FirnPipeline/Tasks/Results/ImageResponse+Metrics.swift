public import FirnData

extension ImageResponse {
    /// The metrics of the transfer of the bytes: lookup, connection, response, bytes, attempts. `nil` for bytes from a
    /// cache or a file, for images that were decoded before their last byte arrived, and for loaders that do not
    /// measure.
    public var metrics: TransferMetrics? { cacheType == nil ? dataResponse?.metrics : nil }
}
