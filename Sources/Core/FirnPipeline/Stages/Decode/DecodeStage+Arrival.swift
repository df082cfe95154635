// Decodes while the bytes arrive. Each slice appends the new bytes and decodes as far as they allow.
extension DecodeStage {
    /// Offers a preview. May call the closure, which returns one if there is new content.
    typealias Showing = (BodyTransfer.Arrival, () throws -> ImageContainer?) throws -> Void

    /// Decodes as far as the bytes allow. Ends with the image as soon as it needs no more bytes.
    ///
    /// - Parameter reserve: called once, with an estimate in bytes. After `false` the job is parked and runs again
    ///   later.
    func run(
        _ step: RequestStep, _ job: EngineJob, _ bytes: ArrivingBytes, _ cancellation: CancellationFlag,
        reserve: (Int) -> Bool, show: Showing
    ) -> StageOutcome {
        while true {
            do {
                return try slice(step, job, bytes, cancellation, reserve, show)
            } catch let cause {
                job.session = nil
                // The error may come from a body that was restarted meanwhile.
                if bytes.isOutdated { continue }
                // A partial image is made only of a body that has ended: the rest may still arrive.
                let allowsPartial = DecodeStage.parameters(step, job.plan)?.options.contains(.allowPartial) ?? false
                if allowsPartial, (cause as? ImageError)?.fault == .data, !bytes.isFinished {
                    bytes.awaitEnd()
                    job.plan = nil
                    return .needsBytes
                }
                return .failed(DecodeStage.translated(cause, job.request))
            }
        }
    }

    private func slice(
        _ step: RequestStep, _ job: EngineJob, _ bytes: ArrivingBytes, _ cancellation: CancellationFlag,
        _ reserve: (Int) -> Bool, _ show: Showing
    ) throws -> StageOutcome {
        let arrival = bytes.take { (job.session, job.plan) = (nil, nil) }
        if bytes.awaitsEnd, arrival.whole == nil {
            bytes.awaitEnd()
            return .needsBytes
        }
        guard let session = try open(job, bytes, arrival, cancellation) else { return .needsBytes }
        if arrival.whole != nil, !bytes.isFinished {
            session.finish()
            bytes.isFinished = true
        }
        let known = try arrival.whole == nil ? session.properties() : DecodeStage.properties(session)
        guard var properties = known else { return .needsBytes }
        if case .render(let render) = step, job.plan == nil {
            let response = StoredResponse(arrival.response, arrival.times)
            guard try plan(render.value, job, session, arrival.whole, response: response) else { return .needsBytes }
        }
        guard let decode = DecodeStage.parameters(step, job.plan) else {
            return try rendered(nil, job, arrival.whole ?? .none, cancellation)
        }
        if decode.frame > 0 { properties = try DecodeStage.properties(session, decode.frame) }
        let options = try decode.options(for: properties, session)
        if !bytes.hasReserved {
            bytes.hasReserved = true
            let needed = session.workingBytes(for: options)
            try decoders.checkMemory(needed, properties)
            if needed > DecodeStage.uncountedBytes, !reserve(needed) { return .pending }
        }
        // Order: advances first, so that the first frame of an animation is available for a preview.
        let needsAll = decode.isProof || decode.options.contains(.includeGainMap)
        let isReady = try arrival.whole != nil || session.advance(options) && !needsAll
        // Later frames need bytes that have not arrived. Until then, the first frame is a preview.
        let needsFrames =
            arrival.whole == nil && keepsAnimationData && properties.mayBeAnimation
        guard isReady, !needsFrames else {
            try show(arrival) {
                guard let image = try session.preview(options) else { return nil }
                return ImageContainer(
                    image: try DecodeStage.finish(image, decode, properties, options), format: properties.format,
                    isPreview: true)
            }
            return .needsBytes
        }
        if arrival.whole == nil, isAtEnd(arrival, decode) { return .needsBytes }
        let image = try DecodeStage.finish(try session.decode(options), decode, properties, options)
        let damage = session.damage
        let map = try decode.gainMap(session)
        job.session = nil
        bytes.transfer.noteUse()
        // A store needs all bytes. The image needs only their response.
        let source =
            arrival.whole ?? FetchedBytes(chunks: [], count: 0, response: arrival.response, times: arrival.times)
        let progress = ImageTask.Progress(completed: arrival.count, total: arrival.total ?? arrival.whole?.count)
        return try done(image, map, damage, decode, properties, job, source, cancellation, progress: progress)
    }

    /// Returns whether only the end of the transfer is missing. The decode waits for it, since a transfer that is
    /// stopped before its end cannot be stored. In a body of unknown length, a decode of all pixels has used nearly all
    /// bytes.
    private func isAtEnd(_ arrival: BodyTransfer.Arrival, _ decode: RequestStep.Decode) -> Bool {
        arrival.total.map { arrival.count >= $0 } ?? (decode.target == nil)
    }

    /// Returns the session with the new bytes appended; `nil` if there are too few to recognize the format.
    private func open(
        _ job: EngineJob, _ bytes: ArrivingBytes, _ arrival: BodyTransfer.Arrival, _ cancellation: CancellationFlag
    ) throws -> (any ImageDecodingSession)? {
        if let session = job.session {
            for chunk in arrival.chunks { try session.append(chunk) }
            return session
        }
        let head = bytes.gather(arrival.chunks)
        if head.count < ImageFormat.sniffLength, arrival.whole == nil { return nil }
        let session = try decoders.session(for: head, arrival.response, of: job.request, cancellation)
        for chunk in bytes.takeWaiting() { try session.append(chunk) }
        job.session = session
        return session
    }
}

/// The state of a decode of arriving bytes, from one slice to the next.
///
/// Safety: used only by the thread that runs the job.
final class ArrivingBytes {
    let transfer: BodyTransfer
    /// The edition of the bytes in the session, and the number of its chunks.
    private(set) var edition: UInt32 = 0
    private(set) var seen = 0
    /// Chunks that arrived before the format was recognized.
    private var waiting: [Data] = []
    var isFinished = false
    /// True if the decode starts over once all bytes have arrived, because those so far are damaged.
    private(set) var awaitsEnd = false
    var hasReserved = false
    var gate = PreviewGate()

    init(_ transfer: BodyTransfer) { self.transfer = transfer }

    /// Returns the bytes since the last call.
    ///
    /// - Parameter restart: called if they belong to another body than the earlier ones.
    func take(_ restart: () -> Void) -> BodyTransfer.Arrival {
        let arrival = transfer.arrival(after: seen, of: edition)
        if arrival.edition != edition {
            edition = arrival.edition
            seen = 0
            waiting = []
            isFinished = false
            awaitsEnd = false
            restart()
        }
        seen += arrival.chunks.count
        return arrival
    }

    /// Drops the bytes of the session. The next session gets all bytes, once the last one has arrived.
    func awaitEnd() {
        awaitsEnd = true
        seen = 0
        waiting = []
    }

    /// True if the transfer has dropped the bytes in the session.
    var isOutdated: Bool { transfer.edition != edition }

    /// Stores chunks until there is a session, and returns the first bytes of the body.
    func gather(_ chunks: [Data]) -> Data {
        waiting += chunks
        return waiting.head(ImageFormat.sniffLength)
    }

    func takeWaiting() -> [Data] { exchange(&waiting, with: []) }
}
