import FirnData
import FirnImage
import FoundationEssentials

/// Starts transfers: by the loader, or by a request's own closure. Does not wait for them.
struct TransferStage {
    let environment: StageEnvironment

    /// Starts the transfer of a job; `observer` is told how it goes.
    func run(_ work: JobWork, _ ticket: JobTicket, observer: any TransferObserver) -> StageOutcome {
        let mayStore = environment.dataCache(for: work.request) != nil && work.request.options.writesDisk
        guard case .fetch(let transfer) = work.kind else { return .failed }
        return transfer.begin(
            work, ticket, limit: environment.limits.maximumBytes, mayStore: mayStore, observer: observer
        ) { receive in
            switch work.request.source {
            case .address(let request): environment.startLoading(request, for: work.request, receive: receive)
            case .closure(let body): ClosureTransfer(body, receive)
            case .bytes(let data): ClosureTransfer({ data }, receive)
            case .image: ClosureTransfer({ Data() }, receive)
            }
        }
    }
}
