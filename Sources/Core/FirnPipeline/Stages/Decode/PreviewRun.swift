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

/// Decides when to make a preview: if there is enough new content, if the rest takes long enough for the preview to
/// be seen, and if previews cost little compared with the image. The time is a parameter; it reads no clock.
///
/// Invariant: the time between the end of one preview and the start of the next is at least ``rest`` times the time
/// that the first one took. So previews use at most a fifth of a core, however slow the processors or the decoder
/// are.
struct PreviewGate: Equatable {
    /// The minimum pause after a preview, in multiples of the time that it took.
    static let rest: Int64 = 4
    /// The minimum share of new bytes is 1 / `part` of the whole.
    static let part = 16

    /// The minimum rest of a body that is worth a preview.
    struct Threshold: Equatable {
        /// The minimum time that the rest takes, in nanoseconds; 0 for no minimum.
        var time: Moment
        /// The minimum number of remaining bytes if the rate is unknown.
        var bytes: Int
    }

    enum Verdict: Equatable {
        case open
        /// Not now, but at this moment if no bytes arrive until then.
        case later(Moment)
    }

    private var received = 0
    private var earliest = Moment.min

    /// Returns when a preview may be made: now, or later if no bytes arrive until then; `nil` if there are too few new
    /// bytes.
    ///
    /// - Parameter timeLeft: the time that the rest will take; `nil` while the rate is unknown.
    func verdict(
        received: Int, expected: Int?, timeLeft: Moment?, _ threshold: Threshold, now: Moment
    ) -> Verdict? {
        // Fewer bytes than before: another body.
        let new = received < self.received ? received : received - self.received
        guard new >= max(1, (expected ?? 0) / PreviewGate.part) else { return nil }
        if now < earliest { return .later(earliest) }
        if threshold.time <= 0 { return .open }
        if let timeLeft, timeLeft >= threshold.time { return .open }
        // A body of unknown length is expected to need as much again.
        let rest = expected.map { max(0, $0 - received) } ?? received
        if timeLeft == nil, rest >= threshold.bytes { return .open }
        // If no bytes arrive for this time, a preview is worth it, whatever the rate was before.
        return .later(now.saturatingAdd(threshold.time))
    }

    /// Notes an attempt to make a preview. It took time even if there was no new content.
    mutating func tried(received: Int, from start: Moment, to end: Moment) {
        self.received = received
        earliest = end.saturatingAdd(max(0, end &- start).saturatingMultiply(PreviewGate.rest))
    }
}

extension PreviewGate.Threshold {
    init(_ limits: StageLimits) { self.init(time: limits.previewTime, bytes: limits.minimumEarlyBytes) }
}
