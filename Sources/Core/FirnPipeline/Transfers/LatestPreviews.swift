import FirnImage
import FirnSync

/// The latest previews of a transfer, for tasks that observe it later, and the flag that stops further previews.
final class LatestPreviews: Sendable {
    /// The forms of a preview by the identifiers of the processors that were applied; `nil` for a failed one.
    typealias Forms = [[String]: ImageResponse.Origin?]

    /// Set once the transfer is over, since the image itself follows.
    let cancellation = CancellationFlag()
    private let known = Locked<[(step: RequestStep, forms: Forms)]>([])

    func stop() { cancellation.cancel() }

    func put(_ forms: Forms, of step: RequestStep) {
        known.withLock { known in
            known.removeAll { $0.step == step }
            known.append((step, forms))
        }
    }

    func find(_ step: RequestStep, for request: ImageRequest) -> ImageContainer? {
        let chain = request.processors.map(\.identifier)
        return known.withLock { known in known.first { $0.step == step }?.forms[chain]??.container }
    }
}
