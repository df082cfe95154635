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
    func transferSpilled(_ part: PartialPart, of job: EngineJob)
    func transferEnded(_ ticket: JobTicket, _ job: EngineJob, _ outcome: StageOutcome)
}
