import FirnData
import FirnImage
import FoundationEssentials

/// Starts transfers: by the loader, or by a request's own closure. Does not wait for them.
///
/// A class, since every transfer keeps it as long as it runs.
final class TransferStage: Sendable {
    let environment: StageEnvironment
    /// Keeps the bytes of transfers that are given up; `nil` for nobody.
    let keeper: PartialBodyStore?

    init(environment: StageEnvironment, keeper: PartialBodyStore? = nil) {
        self.environment = environment
        self.keeper = keeper
    }

    /// Starts the transfer of a job, at a level of urgency; `observer` is told how it goes.
    func run(_ work: JobWork, _ ticket: JobTicket, level: Int, observer: any TransferObserver) -> StageOutcome {
        guard let transfer = work.transfer else { return .failed }
        let mayStore = work.request.options.writesDisk && environment.hasDataCache(for: work.request)
        return transfer.begin(
            work, ticket, mayStore: mayStore, self, observer, limit: environment.limits.maximumBytes,
            priority: DataPriority(rawValue: level) ?? .normal)
    }

    /// Asks for the bytes of a request, or whether those that are kept still hold.
    ///
    /// - Parameters:
    ///   - rest: the request to send in place of its own, where only a part is missing.
    ///   - stale: what is kept, if it is to be asked about.
    func start(
        _ work: JobWork, rest: DataRequest?, checking stale: StaleBytes?, priority: DataPriority,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let request = work.request
        switch request.source {
        case .address(let whole)
        where rest == nil && stale == nil && whole.priority == priority && request.options.isTrusted:
            return environment.startLoading(whole, for: request, receive: receive)
        case .address(let whole):
            var sent = rest ?? whole
            if rest == nil, let stale, let rules = environment.freshness {
                sent = rules.check(stale, by: sent, for: request)
            }
            if sent.priority != priority { sent.priority = priority }
            if !request.options.isTrusted { sent.isUntrusted = true }
            return environment.startLoading(sent, for: request, receive: receive)
        case .closure(let body): return ClosureTransfer(body, receive)
        case .bytes(let data): return ClosureTransfer({ data }, receive)
        case .image: return ClosureTransfer({ Data() }, receive)
        }
    }
}
