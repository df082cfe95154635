extension DecodeStage {
    /// Plans a rendering, once the header is known.
    ///
    /// - Parameters:
    ///   - bytes: all bytes; `nil` while some are missing.
    ///   - response: the response of bytes that arrive. Default: that of `bytes`.
    /// - Returns: false if the plan needs more bytes.
    /// - Throws: the error of the plan, or one of the fault `data` if it needs more bytes than there are.
    @discardableResult
    func plan(
        _ rendering: ImageRendering, _ job: EngineJob, _ session: any ImageDecodingSession, _ bytes: FetchedBytes?,
        response: StoredResponse? = nil
    ) throws -> Bool {
        guard rendering.frame == 0 || bytes != nil else { return false }
        let properties = try DecodeStage.properties(session, rendering.frame)
        let source = RenderingSource(
            properties: properties, frames: try session.frames(), frame: rendering.frame,
            response: response ?? bytes?.storedResponse,
            bytes: bytes.map { bytes in
                ({ try bytes.original ?? bytes.head(bytes.count) }, { try bytes.feed($0) })
            })
        job.plan = try DecodeStage.blaming(job.request) { try rendering.plan(source) }
        job.plan?.decoding?.frame = rendering.frame
        guard bytes == nil || job.plan != nil else {
            throw ImageError(.data, at: .decoding, "the content is not enough for a plan", format: properties.format)
        }
        return job.plan != nil
    }

    /// Ends a rendering with what its plan makes.
    func rendered(
        _ container: ImageContainer?, _ job: EngineJob, _ bytes: FetchedBytes, _ cancellation: CancellationFlag,
        progress: ImageTask.Progress? = nil
    ) throws -> StageOutcome {
        guard let plan = job.plan else { throw ImageError(.request, at: .decoding, "a decode without parameters") }
        job.session = nil
        let value = try DecodeStage.blaming(job.request, cancellation) {
            try plan.make(of: container, limits: decoders.limits, cancellation: cancellation)
        }
        (job.input, job.plan) = (nil, nil)
        guard let standIn = ImageResponse.standIn else { throw ImageError.outOfMemory(bytes: 4) }
        return .done(.image(bytes.origin(standIn, progress: progress, value: value), bytes))
    }

    /// Calls code of a rendering, whose errors are not the fault of the bytes.
    private static func blaming<Value>(
        _ request: ImageRequest, _ cancellation: CancellationFlag? = nil, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch {
            let fault = ProcessStage.fault(of: error, isCancelled: cancellation?.isCancelled == true)
            throw ImageLoadingError(fault, at: .processing, of: request, "\(error)", underlying: error)
        }
    }
}
