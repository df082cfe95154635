import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

extension BodyTransfer {
    /// What has come since somebody looked last.
    struct Arrival {
        /// Which body: another number is another body, of which all is new.
        let edition: UInt32
        let chunks: [Data]
        /// Bytes there are in all.
        let count: Int
        /// Bytes there will be, where the source said so.
        let total: Int?
        let response: DataResponse?
        let times: AnswerTimes
        /// All bytes, once they are there.
        let whole: FetchedBytes?
    }

    /// What has come behind the first `seen` chunks of an edition.
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

    /// What is kept and may be shown until the source has answered; `nil` once it has.
    var stale: StaleBytes? {
        state.withLock { state in
            guard state.outcome == nil, let stale = state.job?.work.stale, stale.mayShow else { return nil }
            return stale
        }
    }

    /// Number of the body that is arriving.
    var edition: UInt32 { state.withLock { $0.machine.edition } }

    /// Where previews are put; `nil` once the transfer is over.
    func shelf() -> LatestPreviews? {
        state.withLock { state in
            guard state.outcome == nil, !state.machine.isCancelled else { return nil }
            if state.previews == nil { state.previews = LatestPreviews() }
            return state.previews
        }
    }

    /// The latest preview of a step for a request, if there is one.
    func preview(of step: RequestStep, for request: ImageRequest) -> ImageContainer? {
        state.withLock { $0.previews }?.find(step, LatestPreviews.chain(of: request))
    }
}
