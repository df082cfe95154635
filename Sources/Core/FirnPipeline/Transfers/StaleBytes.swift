import FirnCache
import FirnData
import FirnImage
import FoundationEssentials

/// Bytes of the data cache that are no longer fresh, and how they may still be used.
final class StaleBytes: Sendable {
    let data: Data
    let key: String
    let stored: StoredResponse
    /// True if their image may be shown as a preview until the response arrives.
    let mayShow: Bool
    /// True if they may be the result if the source fails.
    let mayServeOnError: Bool

    init(data: Data, key: String, stored: StoredResponse, mayShow: Bool, mayServeOnError: Bool) {
        self.data = data
        self.key = key
        self.stored = stored
        self.mayShow = mayShow
        self.mayServeOnError = mayServeOnError
    }

    /// Returns the bytes; stale unless `known` is given.
    func bytes(_ rules: FreshnessRules, _ known: BytesFreshness? = nil, mayStore: Bool = false) -> FetchedBytes {
        var response = rules.response(of: known?.stored ?? stored, count: data.count)
        response.url = stored.url
        let stale = BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored, isStale: true)
        return FetchedBytes(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: key, mayStore: mayStore,
            known: known ?? stale)
    }
}

/// The refusal of a request by its source, while a stale image can still be shown.
///
/// A refusal says nothing about the image, so a view keeps what it shows. The tasks end with the error once they have
/// the stale image as their preview.
final class Refusal: Sendable {
    let error: DataLoadingError
    let stale: StaleBytes
    /// The end of the transfer; `nil` if the refusal is remembered and no request was sent.
    let end: BodyTransfer.End?
    /// Set if no task needs the stale image any longer.
    let cancellation = CancellationFlag()

    /// Returns nil for another failure, and for stale bytes that must not be shown.
    init?(_ error: DataLoadingError, _ stale: StaleBytes?, _ end: BodyTransfer.End?) {
        guard case .status(let status) = error.cause, ResponseStatus.isRefusal(status), let stale, stale.mayShow else {
            return nil
        }
        // A part of another body, or a confirmation of one, came before the refusal.
        if let tally = end?.tally, !tally.isEmpty || tally.isStaleRefuted { return nil }
        self.error = error
        self.stale = stale
        self.end = end
    }
}
