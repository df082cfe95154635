import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

extension BodyTransfer {
    /// The bytes that have arrived since an earlier call.
    struct Arrival {
        /// The number of the body. If it has changed, all bytes are new.
        let edition: UInt32
        let chunks: [Data]
        /// All bytes so far.
        let count: Int
        /// The length of the body, if the source sent it.
        let total: Int?
        let response: DataResponse?
        let times: ResponseTimes
        /// The whole body, once it is complete.
        let whole: FetchedBytes?
    }

    /// Returns the chunks of an edition after the first `seen`; all chunks if the edition has changed.
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

    /// Stale bytes that may be shown until the outcome is known; `nil` afterwards.
    var stale: StaleBytes? {
        state.withLock { state in
            guard state.outcome == nil, let stale = state.order?.owner.stale, stale.mayShow else { return nil }
            return stale
        }
    }

    /// The number of the body that is arriving.
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
