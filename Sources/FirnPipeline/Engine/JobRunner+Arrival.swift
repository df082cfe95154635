import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

// Work on bytes that still arrive: early decodes and previews.
extension JobRunner {
    /// There are bytes before the source is asked.
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?) {
        let now = JobRunner.now()
        change {
            $0.transferBegan(ticket, with: completed, expected: total, now: now, makeChild: JobRunner.makeChild)
        }
    }

    /// The source has answered.
    func transferAnswered(_ ticket: JobTicket) {
        let now = JobRunner.now()
        tell(.transferAnswered(ticket.generation), at: now)
        change { $0.transferAnswered(ticket, now: now) }
    }

    /// There are so many bytes that a decode could begin or go on.
    func transferArrived(_ ticket: JobTicket, completed: Int, total: Int?) {
        let now = JobRunner.now()
        tell(.transferArrived(ticket.generation, completed: completed, total: total), at: now)
        change {
            $0.transferProgressed(
                ticket, received: completed, expected: total, now: now, makeChild: JobRunner.makeChild)
        }
    }

    /// Whether all tasks of a transfer want an image that no decoder can make of bytes with this head.
    func transferIsUnknown(_ ticket: JobTicket, head: Data, _ response: DataResponse?) -> Bool {
        let tasks = state.withLock { $0.table.clients(of: ticket) }
        return !tasks.isEmpty
            && tasks.allSatisfy {
                !$0.request.wantsBytes && environment.decoder(head, response, for: $0.request) == nil
            }
    }

    /// The source is asked again after a while.
    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64 {
        let now = JobRunner.now()
        var number = UInt64.max
        change { number = $0.transferWaits(ticket, for: max(0, time.nanoseconds), now: now) }
        return number
    }

    /// A slice of a decode.
    func decode(_ job: StartedJob, _ bytes: ArrivingBytes) -> StageOutcome {
        let host = DecodeStage.Host(
            reserve: { self.reserved($0, for: job.ticket) },
            show: { arrival, bytes, make in try self.showPreview(of: job, arrival, bytes, make) })
        return DecodeStage(environment: environment).run(job.work, bytes, host: host)
    }

    /// Keeps the bytes of a transfer that was let finish though nobody waits for it. Called with the lock held.
    func keepBytes(of job: StartedJob, _ state: inout State) {
        guard case .bytes(let bytes) = job.work.product, bytes.mayStore,
            environment.dataCachePolicy != .storeEncodedImages
        else { return }
        addStore(JobWork(storing: bytes, of: job.work.request), &state)
    }

    // MARK: Previews

    /// Makes a preview if it is time for one and somebody would see it, and shows it.
    private func showPreview(
        of job: StartedJob, _ arrival: BodyTransfer.Arrival, _ bytes: ArrivingBytes,
        _ make: () throws -> ImageContainer?
    ) throws {
        let start = JobRunner.now()
        guard environment.showsPreviews, case .step(let step, _) = job.work.kind,
            bytes.gate.isOpen(received: arrival.count, expected: arrival.total, now: start)
        else { return }
        let (clients, timeLeft, threshold) = state.withLock { state in
            (
                state.table.audience(of: job.ticket), state.table.timeLeft(for: job.ticket, now: start),
                PreviewGate.Threshold(state.table.limits)
            )
        }
        let audience = clients.filter(\.wantsPreview)
        guard !audience.isEmpty, let shelf = bytes.transfer.shelf() else { return }
        let rest = arrival.total.map { max(0, $0 - arrival.count) } ?? arrival.count
        if case .later(let moment) = PreviewGate.verdict(timeLeft: timeLeft, rest: rest, threshold, now: start) {
            return change { $0.lookAgain(job.ticket, at: moment) }
        }
        if let container = try make() {
            let run = PreviewRun(
                container, of: step, from: arrival, limits: environment.limits, cancellation: shelf.cancellation)
            show(run, of: job, to: audience, shelf)
        }
        bytes.gate.tried(received: arrival.count, from: start, to: JobRunner.now())
    }

    private func show(_ run: PreviewRun, of job: StartedJob, to audience: [ImageTask], _ shelf: LatestPreviews) {
        var run = run
        var shown = 0
        for task in audience {
            // Order: asked before each, because the image itself may have come meanwhile.
            guard !shelf.cancellation.isCancelled, let origin = run.preview(for: task.request) else { continue }
            task.pass(.preview(ImageResponse(origin, for: task.request)))
            shown += 1
        }
        shelf.put(run.entries, of: run.step)
        state.withLock { $0.statistics.previews += shown }
        if shown > 0 { tell(.previewShown(job.ticket.generation, tasks: shown)) }
    }

    /// The latest preview of what a task waits for.
    func preview(of task: ImageTask) -> ImageResponse? {
        guard let work = state.withLock({ $0.table.work(for: task.ticket) }), let transfer = work.transfer else {
            return nil
        }
        if let stale = transfer.stale { showLater(stale, during: transfer, to: task) }
        let steps = task.request.steps
        guard steps.count > 0, let container = transfer.preview(of: steps[0], for: task.request) else { return nil }
        return ImageResponse(container: container, request: task.request)
    }
}
