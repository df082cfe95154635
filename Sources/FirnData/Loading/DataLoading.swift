public import FoundationEssentials

/// Loads data from the network, or from anywhere else.
public protocol DataLoading: Sendable {
    /// Starts a transfer and returns at once; never blocks.
    ///
    /// - Parameter receive: gets the transfer's events: `response`, then any number of `chunk`, then exactly one
    ///   `end`; or only `end`. Events come one after the other, on any thread, possibly before this call returns.
    ///   The receiver returns quickly. The answer to a request with a `Range` field is delivered as it came: status 206 and
    ///   `Content-Range`, or the whole body, so that a transfer that was let go of can be resumed. The answer to one with
    ///   `If-None-Match` or `If-Modified-Since` may be status 304 without a body. After
    ///   ``DataTransfer/cancel()`` one `end` still comes.
    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer

    /// A request with the header fields that the loader adds of its own accord: those that go over the wire.
    ///
    /// Asked before a kept response is used, since a response may depend on them (`Vary`). Returns at once. Default: the request as
    /// it is.
    func completed(_ request: DataRequest) -> DataRequest
}

extension DataLoading {
    /// Adds nothing.
    public func completed(_ request: DataRequest) -> DataRequest { request }
}

/// One event of a transfer.
public enum DataEvent: Sendable {
    /// The source answered; the body follows.
    case response(DataResponse)
    /// The next bytes of the body.
    case chunk(Data)
    /// The transfer is over: `nil` when the body arrived whole.
    case end(DataLoadingError?)
}

/// A running transfer. All calls may be made on any thread, at any time, any number of times.
public protocol DataTransfer: Sendable {
    /// Ends the transfer and closes its connection; `end` comes with ``DataLoadingError/Cause/cancelled`` if it has not come yet.
    func cancel()

    /// Stops reading the body; what the other side sends then waits at its side (back-pressure).
    func pause()

    /// Goes on reading the body.
    func resume()

    /// What the transfer took, from just before its `end` on; `nil` before, and from sources that do not measure.
    var metrics: TransferMetrics? { get }

    /// Changes the priority of the transfer since it was started with ``DataRequest/priority``.
    func setPriority(_ priority: DataPriority)
}

/// What a simple loader need not provide.
extension DataTransfer {
    /// Nothing is measured.
    public var metrics: TransferMetrics? { nil }

    /// Nothing changes.
    public func setPriority(_ priority: DataPriority) {}
}
