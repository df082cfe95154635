import FirnData
import FoundationEssentials

/// Bytes of the data cache that are no longer fresh, and what they may still do.
final class StaleBytes: Sendable {
    let data: Data
    /// The key of their entry.
    let key: String
    let stored: StoredResponse
    /// Whether they may be shown until the source has answered.
    let mayShow: Bool
    let mayServeOnError: Bool

    init(data: Data, key: String, stored: StoredResponse, mayShow: Bool, mayServeOnError: Bool) {
        self.data = data
        self.key = key
        self.stored = stored
        self.mayShow = mayShow
        self.mayServeOnError = mayServeOnError
    }

    /// The bytes as a product; stale unless something else is known of them.
    func bytes(_ known: BytesFreshness? = nil, mayStore: Bool = false) -> FetchedBytes {
        var response = stored.answer(data.count)
        response.headers = known?.stored?.headers ?? response.headers
        let stale = BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored, isStale: true)
        return FetchedBytes(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: key, mayStore: mayStore,
            known: known ?? stale)
    }
}

extension StoredResponse {
    /// The answer as it was when it came.
    func answer(_ length: Int) -> DataResponse {
        DataResponse(url: url, status: status, headers: headers, expectedLength: length)
    }
}

extension TransferStage {
    /// What a transfer that went well has brought: its bytes, or the kept ones if they still hold.
    func settled(_ bytes: FetchedBytes, _ work: JobWork) -> FetchedBytes {
        guard let stale = work.stale, let response = bytes.response, response.status == 304,
            let rules = environment.freshness
        else { return bytes }
        let known = rules.confirmed(stale, by: response, bytes.times ?? AnswerTimes(), for: work.request)
        return stale.bytes(known, mayStore: bytes.mayStore)
    }

    /// What serves in the place of bytes that could not be had; `nil` if nothing may.
    func standIn(for error: DataLoadingError, _ work: JobWork, _ mayStore: Bool) -> FetchedBytes? {
        guard let stale = work.stale, let rules = environment.freshness else { return nil }
        switch error.cause {
        case .status(304) where stale.stored.redirects.isEmpty:
            // A loader that makes an error of it.
            let moment = rules.moment
            let nothing = DataResponse(url: stale.stored.url, status: 304)
            let times = AnswerTimes(requested: moment, answered: moment)
            return stale.bytes(rules.confirmed(stale, by: nothing, times, for: work.request), mayStore: mayStore)
        case .connection, .timeout, .other, .truncated: break
        case .status(let status): guard ResponseStatus.isServerFailure(status) else { return nil }
        case .badAddress, .insecure, .forbidden, .unreadable, .redirect, .tooLarge, .refused, .cancelled: return nil
        }
        return stale.mayServeOnError ? stale.bytes(rules.standIn(stale)) : nil
    }
}
