import FirnData

/// Told of what happens to its request on the connection. All calls come on the loader's event loop.
protocol WireListener: AnyObject {
    /// The request is about to be sent.
    ///
    /// - Returns: why it must not be sent over this connection; `nil` if it may.
    func sending(over connection: ConnectionFacts) -> DataLoadingError?
    /// Bytes of the body have come, as they are on the line.
    func receivedOnLine(_ count: Int)
}
