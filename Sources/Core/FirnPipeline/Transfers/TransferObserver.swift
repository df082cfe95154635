import FirnData
import FoundationEssentials

/// Receives the events of a transfer, on any thread. Not called for the end of a transfer that is over before `begin`
/// returns.
protocol TransferObserver: AnyObject, Sendable {
    /// The transfer begins with bytes of an earlier one. The rest is requested next.
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?)
    /// A response has arrived. Called once for each connection.
    func transferResponded(_ ticket: JobTicket)
    /// The first bytes have arrived, or many more since the last call.
    func transferArrived(_ ticket: JobTicket, completed: Int, total: Int?)
    /// More bytes have arrived. Called only after `BodyTransfer.watch`.
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?)
    /// Returns whether all subscribed tasks need an image and no decoder recognizes bytes that start with `head`.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool
    /// Returns whether a subscriber may show a stale image that it does not have yet, or that only its task has.
    func transferHasViewers(_ ticket: JobTicket) -> Bool
    /// The request is retried after a delay. Until then the transfer needs no slot.
    ///
    /// - Returns: the number of the latest order. A resumption with a higher number ends the wait.
    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64
    /// There are bytes to write to disk while more arrive, or stored bytes to drop.
    func transferSpilled(_ part: PartialPart, of owner: any TransferOwner)
    func transferEnded(_ ticket: JobTicket, _ owner: any TransferOwner, _ end: BodyTransfer.End)
}

extension TransferObserver {
    /// Returns false, since the tasks are unknown.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool { false }

    /// Returns false, since the tasks are unknown.
    func transferHasViewers(_ ticket: JobTicket) -> Bool { false }
}

/// The job that a transfer fetches bytes for.
protocol TransferOwner: AnyObject, Sendable {
    var request: ImageRequest { get }
    /// Stored bytes that the source may confirm.
    var stale: StaleBytes? { get }
    /// True if the bytes may no longer be stored, since they were removed while they arrived.
    var isForgotten: Bool { get }
}

/// Opens the connections of a transfer, and provides its rules.
protocol BodySource: AnyObject, Sendable {
    /// `nil` if stored bytes never become stale.
    var freshness: FreshnessRules? { get }
    var retries: DataRetryPolicy { get }
    /// A random number from 0 up to 1.
    var random: @Sendable () -> Double { get }
    /// Stores the bytes of cancelled transfers; `nil` to drop them.
    var partialBodies: PartialBodyStore? { get }
    /// The number of bytes after which a transfer of unrecognized content ends; 0 for never.
    var unknownContentLimit: Int { get }

    /// Requests the bytes of a request, or a revalidation of the stored ones.
    ///
    /// - Parameters:
    ///   - rest: sent instead of the request if only a part is missing.
    ///   - stale: the stored bytes to revalidate.
    func open(
        _ request: ImageRequest, rest: DataRequest?, checking stale: StaleBytes?, priority: DataPriority,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer
}
