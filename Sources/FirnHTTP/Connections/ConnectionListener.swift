import FirnData

/// Told of what happens to its request on the connection. All calls come on the loader's event loop.
protocol ConnectionListener: AnyObject {
    /// The request is about to be sent.
    ///
    /// - Returns: why it must not be sent over this connection; `nil` if it may.
    func willSend(over connection: ConnectionFacts) -> DataLoadingError?
    /// Bytes of the body have come, as they are on the line.
    func didReceiveWireBytes(_ count: Int)
}
