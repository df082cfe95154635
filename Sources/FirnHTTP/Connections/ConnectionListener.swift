import FirnData

/// Receives the events of its request on the connection. All calls are on the loader's event loop.
protocol ConnectionListener: AnyObject {
    /// Called before the request is sent.
    ///
    /// - Returns: why it must not be sent over this connection; `nil` if it may.
    func willSend(over connection: ConnectionFacts) -> DataLoadingError?
    /// Called for bytes of the body, before decompression.
    func didReceiveWireBytes(_ count: Int)
}
