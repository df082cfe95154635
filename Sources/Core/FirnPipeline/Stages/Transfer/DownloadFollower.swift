import FirnSync

/// The transfer of a load that gets the bytes of a running download: first those in the file, then each as it is
/// written.
///
/// Safety: one thread at a time passes bytes on. Any thread may end the transfer, and no event of interest follows.
final class DownloadFollower: DataTransfer {
    /// The reason for an end that is no failure: the load requests the rest itself.
    struct Left: Error {}

    private let download: FileDownload
    /// The time of the request, in nanoseconds since 1970; `nil` without rules of freshness.
    private let moment: Int64?
    /// Returns whether a response is the one that the load would get.
    private let accepts: @Sendable (DataResponse) -> Bool
    private let receive: @Sendable (DataEvent) -> Void
    /// The number of bytes that were passed on, and the body that they are of; `nil` before its response.
    private let state = Locked<(offset: Int, edition: UInt32?, isOver: Bool)>((0, nil, false))

    init(
        _ download: FileDownload, at moment: Int64?, accepts: @escaping @Sendable (DataResponse) -> Bool,
        _ receive: @escaping @Sendable (DataEvent) -> Void
    ) {
        self.download = download
        self.moment = moment
        self.accepts = accepts
        self.receive = receive
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    var offset: Int { state.withLock { $0.offset } }

    /// Passes the response on before the first bytes.
    ///
    /// - Returns: false if the load cannot get its bytes from this body.
    func begin(_ arrival: BodyTransfer.Arrival) -> Bool {
        let edition = state.withLock { state in
            defer { state.edition = arrival.edition }
            return state.edition
        }
        if edition == arrival.edition { return true }
        guard edition == nil, arrival.response.map(accepts) ?? true else {
            leave()
            return false
        }
        guard var response = arrival.response else { return true }
        // A response that arrived before the request is as old as one of a cache (RFC 9111, section 5.1).
        if let moment, moment - arrival.times.responded >= 1_000_000_000 {
            let age = (moment - arrival.times.responded) / 1_000_000_000
            response.headers["Age"] = String(age.saturatingAdd(response.headers["Age"].flatMap { Int64($0) } ?? 0))
        }
        receive(.response(response))
        return true
    }

    func take(_ part: Data) {
        state.withLock { $0.offset += part.count }
        receive(.chunk(part))
    }

    func end(_ error: DataLoadingError?) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { receive(.end(error)) }
    }

    /// Ends the transfer without the rest.
    func leave() { end(DataLoadingError(.other, "the download ended", underlying: Left())) }

    func cancel() { end(.cancelled) }
    // The bytes are on disk in any case.
    func pause() {}
    func resume() {}
    func setPriority(_ priority: DataPriority) { download.raise(to: priority) }
}
