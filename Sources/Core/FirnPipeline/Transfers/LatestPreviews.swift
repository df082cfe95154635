import FirnImage
import FirnSync

/// The latest previews of a transfer, for tasks that observe it later, and the flag that stops further previews.
final class LatestPreviews: Sendable {
    struct Entry: Sendable {
        let step: RequestStep
        let chain: [String]
        let container: ImageContainer
    }

    /// Set once the transfer is over, since the image itself follows.
    let cancellation = CancellationFlag()
    private let entries = Locked<[Entry]>([])

    /// The identifiers of a request's processors, in order.
    static func chain(of request: ImageRequest) -> [String] { request.processors.map(\.identifier) }

    func stop() { cancellation.cancel() }

    func put(_ new: [Entry], of step: RequestStep) {
        entries.withLock { entries in
            entries.removeAll { $0.step == step }
            entries += new
        }
    }

    func find(_ step: RequestStep, _ chain: [String]) -> ImageContainer? {
        entries.withLock { entries in entries.first { $0.step == step && $0.chain == chain }?.container }
    }
}
