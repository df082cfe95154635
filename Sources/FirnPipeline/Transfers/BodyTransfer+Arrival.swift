import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

extension BodyTransfer {
    /// What has arrived since the last look.
    struct Arrival {
        /// The number of the body. With another number all bytes are new.
        let edition: UInt32
        let chunks: [Data]
        /// All bytes so far.
        let count: Int
        /// The length of the body, if the source sent it.
        let total: Int?
        let response: DataResponse?
        let times: AnswerTimes
        /// The whole body, once it is there.
        let whole: FetchedBytes?
    }

    /// Returns what has arrived after the first `seen` chunks of an edition.
    func arrival(after seen: Int, of edition: UInt32) -> Arrival {
        state.withLock { state in
            let machine = state.machine
            var whole: FetchedBytes?
            if case .bytes(let bytes) = state.outcome { whole = bytes }
            let chunks = whole?.chunks ?? machine.chunks
            return Arrival(
                edition: machine.edition, chunks: Array(chunks.dropFirst(machine.edition == edition ? seen : 0)),
                count: machine.count, total: machine.response?.expectedLength, response: machine.response,
                times: state.times,
                whole: whole)
        }
    }

    /// Stale bytes that may be shown until the source has answered; `nil` once it has.
    var stale: StaleBytes? {
        state.withLock { state in
            guard state.outcome == nil, let stale = state.order?.owner.stale, stale.mayShow else { return nil }
            return stale
        }
    }

    /// Number of the body that is arriving.
    var edition: UInt32 { state.withLock { $0.machine.edition } }

    /// Returns the store of the latest previews, created if needed; `nil` once the transfer is over.
    func openPreviews() -> LatestPreviews? {
        state.withLock { state in
            guard state.outcome == nil, !state.machine.isCancelled else { return nil }
            if state.previews == nil { state.previews = LatestPreviews() }
            return state.previews
        }
    }

    /// Returns the latest preview of a step for a request.
    func preview(of step: RequestStep, for request: ImageRequest) -> ImageContainer? {
        state.withLock { $0.previews }?.find(step, LatestPreviews.chain(of: request))
    }
}
