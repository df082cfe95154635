import FirnData
import FirnImage

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
