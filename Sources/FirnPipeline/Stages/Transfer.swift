import FirnData
import FirnSync
import FoundationEssentials
import Synchronization

/// Told of a transfer's course, on any thread.
protocol TransferObserver: AnyObject, Sendable {
    /// More has arrived. Told only once somebody has asked how much has.
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?)
    /// The transfer is over and its work holds the outcome. Not called if it was over before `begin` returned.
    func transferEnded(_ ticket: JobTicket, _ work: JobWork, _ outcome: StageOutcome)
}

/// Collects what a transfer delivers into a chain of chunks, within a limit; can be cancelled before, while and after it runs.
///
/// Invariant: the outcome is settled exactly once, and nothing follows it.
final class Transfer: Sendable {
    private struct State {
        var chunks: [Data] = []
        var count = 0
        var response: DataResponse?
        var handle: (any DataTransfer)?
        var isCancelled = false
        /// Set while the transfer runs.
        var job: Job?
        /// While the loader is starting, the end is kept for the worker that started it, which goes on by itself.
        var isStarting = true
        var outcome: Result<FetchedBytes, DataLoadingError>?
    }

    private struct Job {
        let observer: any TransferObserver
        let ticket: JobTicket
        let work: JobWork
        let limit: Int
        let mayStore: Bool
    }

    private let state = Locked(State())
    private let watched = Atomic<Bool>(false)

    /// Bytes so far, and how many there will be. From now on the observer is told of every chunk.
    ///
    /// Order: watched first, so that what arrives after the count was read is told.
    func watch() -> (completed: Int, total: Int?) {
        watched.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { ($0.count, $0.response?.expectedLength) }
    }

    /// Nobody needs the bytes any more.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.handle
        }?.cancel()
    }

    /// Lets `start` start the loader.
    ///
    /// - Parameter mayStore: whether the bytes may be kept once they have proved to be a picture.
    /// - Returns: the outcome if the transfer is over already, else `pending`.
    func begin(
        _ work: JobWork, _ ticket: JobTicket, limit: Int, mayStore: Bool, observer: any TransferObserver,
        _ start: (@escaping @Sendable (DataEvent) -> Void) -> any DataTransfer
    ) -> StageOutcome {
        state.withLock {
            $0.job = Job(observer: observer, ticket: ticket, work: work, limit: limit, mayStore: mayStore)
        }
        let handle = start { self.receive($0) }
        let (outcome, isCancelled) = state.withLock { state in
            state.isStarting = false
            if state.outcome == nil { state.handle = handle } else { state.job = nil }
            return (state.outcome, state.isCancelled)
        }
        if isCancelled { handle.cancel() }
        if let outcome { return Transfer.settle(work, outcome) }
        return .pending
    }

    private func receive(_ event: DataEvent) {
        switch event {
        case .response(let response): take(response)
        case .chunk(let data): take(data)
        case .end(let error): end(error)
        }
    }

    private func take(_ response: DataResponse) {
        let limit = state.withLock { state in
            state.response = response
            return state.job?.limit
        }
        if let limit, let expected = response.expectedLength, expected > limit { stop(limit) }
    }

    private func take(_ data: Data) {
        guard !data.isEmpty else { return }
        let now: (Job, Int, Int?)? = state.withLock { state in
            guard state.outcome == nil, let job = state.job else { return nil }
            state.chunks.append(data)
            state.count += data.count
            return (job, state.count, state.response?.expectedLength)
        }
        guard let (job, completed, total) = now else { return }
        if completed > job.limit {
            stop(job.limit)
        } else if watched.load(ordering: .sequentiallyConsistent) {
            job.observer.transferProgressed(job.ticket, completed: completed, total: total)
        }
    }

    private func stop(_ limit: Int) {
        // Order: the handle is taken before the end lets go of it; cancelled after, so that the end is ours.
        let handle = state.withLock { state in
            state.isCancelled = true
            return state.handle
        }
        end(DataLoadingError(.tooLarge(limit: limit), "the answer is longer than \(limit) bytes"))
        handle?.cancel()
    }

    private func end(_ error: DataLoadingError?) {
        let over: (Job, Result<FetchedBytes, DataLoadingError>)? = state.withLock { state in
            guard state.outcome == nil, let job = state.job else { return nil }
            let outcome: Result<FetchedBytes, DataLoadingError>
            if let error {
                outcome = .failure(error)
            } else if let expected = state.response?.expectedLength, expected != state.count {
                outcome = .failure(DataLoadingError(.truncated, "the answer has \(state.count) of \(expected) bytes"))
            } else {
                outcome = .success(
                    FetchedBytes(
                        chunks: state.chunks, count: state.count, response: state.response, mayStore: job.mayStore))
            }
            state.outcome = outcome
            state.chunks = []
            state.handle = nil
            guard !state.isStarting else { return nil }
            state.job = nil
            return (job, outcome)
        }
        guard let (job, outcome) = over else { return }
        job.observer.transferEnded(job.ticket, job.work, Transfer.settle(job.work, outcome))
    }

    private static func settle(_ work: JobWork, _ outcome: Result<FetchedBytes, DataLoadingError>) -> StageOutcome {
        switch outcome {
        case .success(let bytes):
            work.product = .bytes(bytes)
            return .finished
        case .failure(let error):
            work.fail(ImageLoadingError(error, source: work.request.description))
            return .failed
        }
    }
}
