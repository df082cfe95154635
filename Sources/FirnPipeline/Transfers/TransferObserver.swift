import FirnData
import FoundationEssentials

/// Receives the events of a transfer, on any thread. A transfer that is over before `begin` returns sends none.
protocol TransferObserver: AnyObject, Sendable {
    /// The transfer begins with bytes that an earlier one left. The source is asked for the rest next.
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?)
    /// The source has answered. Sent once for each connection.
    func transferAnswered(_ ticket: JobTicket)
    /// The first bytes have arrived, or many more than at the last call.
    func transferArrived(_ ticket: JobTicket, completed: Int, total: Int?)
    /// More has arrived. Sent only after `BodyTransfer.watch`.
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?)
    /// Whether all waiting tasks want an image, and no decoder recognizes bytes that start with `head`.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool
    /// The source is asked again after a while. Until then the transfer needs no slot.
    ///
    /// - Returns: the number of the latest order. A resumption with a higher number ends the wait.
    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64
    /// There are bytes to write to the disk while more arrive, or stored ones to drop.
    func transferSpilled(_ part: PartialPart, of request: ImageRequest)
    /// The transfer is over.
    func transferEnded(_ ticket: JobTicket, _ owner: any TransferOwner, _ end: BodyTransfer.End)
}

extension TransferObserver {
    /// Returns false: nothing is known of the tasks.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool { false }
}

/// The job that a transfer gets bytes for.
protocol TransferOwner: AnyObject, Sendable {
    var request: ImageRequest { get }
    /// Stored bytes that the source may confirm.
    var stale: StaleBytes? { get }
}

/// Opens the connections of a transfer, and has the rules that it follows.
protocol BodySource: AnyObject, Sendable {
    /// `nil` if stored bytes never become stale.
    var freshness: FreshnessRules? { get }
    var retries: RetryPolicy { get }
    /// A random number from 0 up to 1.
    var random: @Sendable () -> Double { get }
    /// Keeps the bytes of cancelled transfers; `nil` if nothing keeps them.
    var partialBodies: PartialBodyStore? { get }
    /// Bytes after which a transfer of unrecognized content ends; 0 for never.
    var unknownContentLimit: Int { get }

    /// Asks for the bytes of a request, or whether the stored ones still hold.
    ///
    /// - Parameters:
    ///   - rest: sent in place of the request if only a part is missing.
    ///   - stale: the stored bytes to ask about.
    func open(
        _ request: ImageRequest, rest: DataRequest?, checking stale: StaleBytes?, priority: DataPriority,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer
}
