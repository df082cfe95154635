/// Loads data from the network or another source.
public protocol DataLoading: Sendable {
    /// Starts a transfer and returns at once. Never blocks.
    ///
    /// - Parameter receive: called with the transfer's events: `response`, then any number of `chunk`, then exactly
    ///   one `end`; or only `end`. It is called with one event at a time, on any thread, possibly before this call
    ///   returns, and must return quickly. The response to a request with a `Range` field is passed on unchanged,
    ///   with status 206 and `Content-Range` or as the whole body, so that a cancelled transfer can be resumed. The
    ///   response to `If-None-Match` or `If-Modified-Since` may be a 304 without a body. After
    ///   ``DataTransfer/cancel()``, one `end` still follows.
    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer

    /// Returns a request as it will be sent, with the header fields that the loader adds.
    ///
    /// Called before a stored response is used, since a response may depend on these fields (`Vary`). Returns at
    /// once. Default: the request unchanged.
    func completed(_ request: DataRequest) -> DataRequest
}

extension DataLoading {
    /// Returns the request unchanged.
    public func completed(_ request: DataRequest) -> DataRequest { request }
}

/// One event of a transfer.
public enum DataEvent: Sendable {
    /// The source responded. The body follows.
    case response(DataResponse)
    /// The next bytes of the body.
    case chunk(Data)
    /// The end of the transfer: `nil` if the body arrived completely.
    case end(DataLoadingError?)
}

/// A running transfer. All calls are allowed on any thread, at any time, any number of times.
public protocol DataTransfer: Sendable {
    /// Ends the transfer and closes its connection. `end` follows with ``DataLoadingError/Cause/cancelled`` unless it
    /// was sent before.
    func cancel()

    /// Stops reading the body, so that the sender has to stop (back-pressure).
    func pause()

    /// Continues reading the body.
    func resume()

    /// Times and bytes of the transfer, available from just before its `end`; `nil` earlier, and for sources that do
    /// not measure.
    var metrics: TransferMetrics? { get }

    /// Changes the priority of the transfer, which started as ``DataRequest/priority``.
    func setPriority(_ priority: DataPriority)
}

/// Default implementations for simple loaders.
extension DataTransfer {
    /// Returns nil: nothing is measured.
    public var metrics: TransferMetrics? { nil }

    /// Does nothing.
    public func setPriority(_ priority: DataPriority) {}
}

/// A transfer that ended before it started.
package struct EndedTransfer: DataTransfer {
    package init() {}

    package func cancel() {}
    package func pause() {}
    package func resume() {}
}
