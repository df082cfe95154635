import FirnSync

/// Makes previews: of arriving bytes, between the slices of their decode, and of stale bytes, in the stage `preview`.
struct PreviewProducer: Sendable {
    let shell: TableShell
    let renderer: ImageRenderer
    let memory: DecodeMemory
    /// True if previews of arriving bytes are made.
    let isProgressive: Bool

    // MARK: Bytes that arrive

    /// The time after which subscribers that have not received their last preview are checked again, in nanoseconds.
    private static let pace: Moment = 50_000_000

    /// Shows a preview if one is due and a task would display it.
    ///
    /// - Parameter make: returns a preview if there is new content.
    func showArriving(
        _ step: RequestStep, of ticket: JobTicket, _ arrival: BodyTransfer.Arrival, _ bytes: ArrivingBytes,
        _ make: () throws -> ImageContainer?
    ) throws {
        guard isProgressive else { return }
        let start = MonotonicClock.now()
        let (tasks, timeLeft, stages) = shell.read { state in
            (state.table.audience(of: ticket), state.table.timeLeft(for: ticket, now: start), state.table.limits)
        }
        let verdict = bytes.gate.verdict(
            received: arrival.count, expected: arrival.total, timeLeft: timeLeft, PreviewGate.Threshold(stages),
            now: start)
        guard let verdict else { return }
        let audience = tasks.filter(\.wantsPreview)
        // Nothing else may run this decode again: no bytes may arrive for a long time.
        func lookAgain(at moment: Moment) { shell.change { $0.table.lookAgain(ticket, at: moment) } }
        guard !audience.isEmpty else {
            return tasks.contains(where: \.holdsPreview) ? lookAgain(at: start + PreviewProducer.pace) : ()
        }
        if case .later(let moment) = verdict { return lookAgain(at: moment) }
        guard let previews = bytes.transfer.openPreviews() else { return }
        if let container = try make() {
            let run = PreviewRun(
                container, of: step, from: arrival, limits: renderer.decode.decoders.limits,
                cancellation: previews.cancellation)
            show(run, of: ticket, to: audience, previews)
        }
        bytes.gate.tried(received: arrival.count, from: start, to: MonotonicClock.now())
    }

    private func show(_ run: PreviewRun, of ticket: JobTicket, to audience: [ImageTask], _ previews: LatestPreviews) {
        var run = run
        var shown = pass(&run, to: audience, previews)
        // Order: a task that is getting its first observer either finds the preview that was just kept, or is watched
        // by now.
        let late = shell.read { $0.table.audience(of: ticket) }.filter { task in
            task.isWatched && task.latestPreview == nil && !audience.contains { $0 === task }
        }
        if !late.isEmpty { shown += pass(&run, to: late, previews) }
        if shown > 0 { shell.emitter.emit(.previewShown(ticket.generation, tasks: shown)) }
    }

    /// Passes a preview to tasks, keeps it for later ones, and returns the number of tasks.
    private func pass(_ run: inout PreviewRun, to tasks: [ImageTask], _ previews: LatestPreviews) -> Int {
        var shown = 0
        for task in tasks {
            // Order: checked before each task, because the image itself may have arrived meanwhile.
            guard !previews.cancellation.isCancelled, let origin = run.preview(for: task.request) else { continue }
            // Order: before the task gets the preview, so that it finds it in the statistics.
            shell.read { $0.statistics.previews += 1 }
            task.pass(.preview(ImageResponse(origin, for: task.request)))
            shown += 1
        }
        previews.put(run.made, of: run.step)
        return shown
    }

    // MARK: Stale bytes

    /// Requests a preview of the stale bytes of a transfer that has just begun, for the observed tasks.
    func showStale(_ stale: StaleBytes, of job: EngineJob, _ ticket: JobTicket) {
        // Order: selects observed tasks, not tasks that want a preview now. A task that is just getting an observer
        // receives it as its latest preview.
        let audience = shell.tasks(of: ticket) { $0.isWatched && !$0.request.wantsBytes }
        request(stale, during: job.transfer, for: audience)
    }

    /// Passes the latest preview to a task that has just got an observer, and requests one of stale bytes if there is
    /// none.
    func catchUp(_ task: ImageTask) {
        guard let transfer = shell.job(of: task)?.transfer else { return }
        if let stale = transfer.stale, task.latestPreview == nil, !task.request.wantsBytes {
            request(stale, during: transfer, for: [task])
        }
        let steps = task.request.steps
        guard steps.count > 0, let container = transfer.preview(of: steps[0], for: task.request) else { return }
        task.pass(earlier: ImageResponse(container: container, request: task.request))
    }

    private func request(_ stale: StaleBytes, during transfer: BodyTransfer?, for audience: [ImageTask]) {
        guard let first = audience.first, let previews = transfer?.openPreviews() else { return }
        let preview = StalePreview(bytes: stale, audience: audience, cancellation: previews.cancellation)
        shell.changeIfOpen { $0.table.addDetached(EngineJob(.preview(preview), for: first.request), stage: .preview) }
    }

    /// Shows stale bytes as previews while their source is revalidated. A task ends once, with the image that the
    /// source confirms or sends.
    ///
    /// Makes no preview if decodes with waiting tasks need the memory, or once the transfer is over.
    func run(_ preview: StalePreview) -> StageOutcome {
        var images: [ImageCacheKey: ImageContainer] = [:]
        for task in preview.audience where task.state == .running && task.latestPreview == nil {
            _ = show(preview.bytes, to: task, preview.cancellation, &images)
        }
        return .done(nil)
    }

    /// Shows stale bytes as previews after their source has refused the request, to tasks that end next.
    ///
    /// - Parameter keep: called with the image of each task.
    func show(_ refusal: Refusal, of ticket: JobTicket, keep: (ImageContainer, ImageTask) -> Void) {
        var images: [ImageCacheKey: ImageContainer] = [:]
        var seen: Set<ObjectIdentifier> = []
        while !refusal.cancellation.isCancelled {
            // Order: read again after the decodes, since tasks may have joined the job.
            let audience = shell.tasks(of: ticket).filter {
                $0.mayShowStale && seen.insert(ObjectIdentifier($0)).inserted
            }
            if audience.isEmpty { return }
            for task in audience {
                let shown = task.latestPreview
                guard shown?.cacheType != .memory,
                    var image = shown?.container ?? show(refusal.stale, to: task, refusal.cancellation, &images)
                else { continue }
                image.isPreview = false
                keep(image, task)
            }
        }
    }

    /// Passes the image of stale bytes to a task as a preview.
    ///
    /// - Parameter images: the images that were made so far.
    /// - Returns: nil if the image cannot be made, or is no longer needed.
    private func show(
        _ stale: StaleBytes, to task: ImageTask, _ cancellation: CancellationFlag,
        _ images: inout [ImageCacheKey: ImageContainer]
    ) -> ImageContainer? {
        guard !cancellation.isCancelled, let rules = renderer.caches.freshness else { return nil }
        let key = task.request.imageCacheKey
        let made =
            images[key]
            ?? memory.lending {
                renderer.image(of: stale.bytes(rules), for: task.request, cancellation: cancellation, reserve: $0)
            }
        // Order: checked again, since the decode took time.
        guard var container = made, !cancellation.isCancelled else { return nil }
        container.isPreview = true
        images[key] = container
        shell.read { $0.statistics.previews += 1 }
        let origin = ImageResponse.Origin(container, nil, .disk, isStale: true)
        task.pass(.preview(ImageResponse(origin, for: task.request)))
        return container
    }
}
