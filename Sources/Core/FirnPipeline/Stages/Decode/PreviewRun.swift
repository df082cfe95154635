import FirnData
import FirnImage
import FirnSync

/// Makes the variants of one preview for the waiting tasks, each with the processors of its request. Equal processors
/// run once.
struct PreviewRun {
    let step: RequestStep
    private let response: DataResponse?
    private let limits: ImageLimits
    private let cancellation: CancellationFlag
    /// The results so far, also for tasks that are observed later.
    private(set) var made: LatestPreviews.Forms

    /// - Parameter cancellation: set once the image itself is available.
    init(
        _ container: ImageContainer, of step: RequestStep, from arrival: BodyTransfer.Arrival,
        limits: ImageLimits, cancellation: CancellationFlag
    ) {
        self.step = step
        response = arrival.response
        self.limits = limits
        self.cancellation = cancellation
        made = [[]: ImageResponse.Origin(container, arrival.response.map { Box($0) })]
    }

    /// Returns the preview for a request; `nil` if a processor fails or the preview was cancelled.
    mutating func preview(for request: ImageRequest) -> ImageResponse.Origin? {
        preview(request.processors[...])
    }

    private mutating func preview(_ processors: ArraySlice<any ImageProcessing>) -> ImageResponse.Origin? {
        let chain = processors.map(\.identifier)
        if let known = made[chain] { return known }
        guard let last = processors.last else { return nil }
        var result: ImageResponse.Origin?
        if let input = preview(processors.dropLast()), !cancellation.isCancelled,
            var container = try? last.process(
                input.container,
                context: ImageProcessingContext(
                    cancellation: cancellation, limits: limits, stripes: StripeCrew.shared)
            )
        {
            container.isPreview = true
            result = ImageResponse.Origin(container, response.map { Box($0) })
        }
        made[chain] = .some(result)
        return result
    }
}

/// The latest previews of a transfer, for tasks that observe it later, and the flag that stops further previews.
final class LatestPreviews: Sendable {
    /// The forms of a preview by the identifiers of the processors that were applied; `nil` for a failed one.
    typealias Forms = [[String]: ImageResponse.Origin?]

    /// Set once the transfer is over, since the image itself follows.
    let cancellation = CancellationFlag()
    private let known = Locked<[(step: RequestStep, forms: Forms)]>([])

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
