import FirnData
import FoundationEssentials

/// Told of a transfer's progress, on any thread. Of one that is over before `begin` returned it is told nothing.
protocol TransferObserver: AnyObject, Sendable {
    /// The transfer begins with bytes that another has left; the source is about to be asked for the rest.
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?)
    /// The source has answered. Told once for each connection.
    func transferAnswered(_ ticket: JobTicket)
    /// The first bytes have arrived, or many more than at the last time.
    func transferArrived(_ ticket: JobTicket, completed: Int, total: Int?)
    /// More has arrived. Told only once somebody has asked how much has.
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?)
    /// Whether everybody who waits wants an image, and no decoder recognizes bytes that start with `head`.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool
    /// The source is asked again after a while. Until then the transfer needs no slot.
    ///
    /// - Returns: the number of the latest order; a resumption of a higher one ends the wait.
    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64
    /// Bytes are worth writing to the disk while more arrive.
    func transferSpilled(_ part: PartialPart, of request: ImageRequest)
    /// The transfer is over and its work holds the outcome.
    func transferEnded(_ ticket: JobTicket, _ work: JobWork, _ outcome: StageOutcome)
}

extension TransferObserver {
    /// No: nobody is known who waits.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool { false }
}
