import FirnData
import FirnImage
import FoundationEssentials

/// Starts transfers: by the loader, or by a request's own closure. Does not wait for them.
struct TransferStage {
    let environment: StageEnvironment
    /// Keeps the bytes of transfers that are given up; `nil` for nobody.
    var keeper: BodyKeeper?

    /// Starts the transfer of a job, at a level of urgency; `observer` is told how it goes.
    func run(_ work: JobWork, _ ticket: JobTicket, level: Int, observer: any TransferObserver) -> StageOutcome {
        let mayStore = environment.dataCache(for: work.request) != nil && work.request.options.writesDisk
        guard case .fetch(let transfer) = work.kind else { return .failed }
        return transfer.begin(
            Transfer.Job(stage: self, observer: observer, ticket: ticket, work: work, mayStore: mayStore),
            limit: environment.limits.maximumBytes, priority: DataPriority(rawValue: level) ?? .normal)
    }

    /// Asks for the bytes of a request, or whether those that are kept still hold.
    ///
    /// - Parameter rest: the request to send in place of its own, where only a part is missing.
    func start(
        _ work: JobWork, rest: DataRequest?, priority: DataPriority,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let request = work.request
        switch request.source {
        case .address(let whole):
            var sent = rest ?? whole
            if rest == nil, let stale = work.stale {
                for field in stale.validators.fields { sent.headers[field.name] = field.value }
            }
            if sent.priority != priority { sent.priority = priority }
            return environment.startLoading(sent, for: request, receive: receive)
        case .closure(let body): return ClosureTransfer(body, receive)
        case .bytes(let data): return ClosureTransfer({ data }, receive)
        case .image: return ClosureTransfer({ Data() }, receive)
        }
    }
}
