/// Makes images of stored bytes outside of the job table: on the caller's thread, or as previews.
struct ImageRenderer: Sendable {
    let decode: DecodeStage
    let caches: PipelineCaches

    /// Makes the image of a request on this thread; `nil` if that fails.
    ///
    /// - Parameters:
    ///   - cancellation: if it is set, the result is `nil`.
    ///   - reserve: requests the memory of the decode. After `false` the result is `nil`.
    func image(
        of bytes: FetchedBytes, for request: ImageRequest, cancellation: CancellationFlag = CancellationFlag(),
        reserve: (Int) -> Bool = { _ in true }
    ) -> ImageContainer? {
        var job = EngineJob(fetching: request)
        job.end(.done(.bytes(bytes)), at: 0)
        let steps = request.steps
        for index in 0..<steps.count {
            job = EngineJob(steps[index], of: job, cancellation: cancellation)
            let outcome = run(job, reserve: reserve)
            job.end(outcome, at: 0)
            guard case .done = outcome else {
                removeDamagedEntry(of: job, outcome)
                return nil
            }
        }
        return if case .image(let origin, _)? = job.product { origin.container } else { nil }
    }

    private func run(_ job: EngineJob, reserve: (Int) -> Bool) -> StageOutcome {
        switch job.work {
        case .decode(let step, let cancellation):
            decode.run(step, job, cancellation, reserve: reserve)
        case .process(let process, let cancellation):
            ProcessStage(limits: decode.decoders.limits).run(process, job, cancellation)
        case .useMemoryImage, .readProcessed, .fetch, .download, .makeImage, .store, .preview: .notNeeded
        }
    }

    /// Removes the data-cache entry that a decode failed for. Blocks on disk I/O.
    ///
    /// - Returns: whether the data was at fault and came from an entry.
    @discardableResult
    func removeDamagedEntry(of job: EngineJob, _ outcome: StageOutcome) -> Bool {
        guard case .failed(let error) = outcome, error.fault == .data, case .bytes(let bytes)? = job.input,
            let key = bytes.diskKey
        else {
            return false
        }
        do throws(DataCachingError) {
            try caches.dataCache(for: job.request)?.remove(key)
        } catch {
            // The next load finds the entry again and fails to decode it again.
            caches.report(error, of: job.request)
        }
        return true
    }
}
