import FirnData
import FirnImage
import FoundationEssentials

// Decodes while the bytes arrive, a slice at a time: each takes what is new, as far as it goes.
extension DecodeStage {
    /// What a slice may ask of the engine.
    struct Host {
        /// Asked once, with an estimate in bytes; after `false` the work is parked and runs again later.
        let reserve: (Int) -> Bool
        /// Given the chance of a preview: may call the closure, which makes one if there is something new to see.
        let show: (BodyTransfer.Arrival, ArrivingBytes, () throws -> ImageContainer?) throws -> Void
    }

    /// Decodes as far as the bytes go; ends with the image as soon as it needs no more of them.
    func run(_ work: JobWork, _ bytes: ArrivingBytes, host: Host) -> StageOutcome {
        while true {
            do {
                return try slice(work, bytes, host)
            } catch let cause {
                work.session = nil
                // What was wrong may be that the body began anew in between.
                if bytes.isOutdated { continue }
                work.fail(translated(cause, work))
                return .failed
            }
        }
    }

    private func slice(_ work: JobWork, _ bytes: ArrivingBytes, _ host: Host) throws -> StageOutcome {
        guard case .step(let step, let cancellation) = work.kind, let decode = DecodeStage.decode(step) else {
            throw ImageDecodingError(.request, "a decode that is none")
        }
        let arrival = bytes.take { work.session = nil }
        guard let session = try open(work, bytes, arrival, cancellation) else { return .starved }
        if arrival.whole != nil, !bytes.isFinished {
            session.finish()
            bytes.isFinished = true
        }
        guard let properties = try session.properties() else {
            guard arrival.whole == nil else {
                throw ImageDecodingError(.data, "the content ends before the image's size")
            }
            return .starved
        }
        let options = decode.options(for: properties)
        if !bytes.hasReserved {
            bytes.hasReserved = true
            let needed = session.workingBytes(for: options)
            try checkMemory(needed, properties)
            if needed > DecodeStage.uncountedBytes, !host.reserve(needed) { return .pending }
        }
        // Order: decoded ahead first, so that the first frame of an animation is there to be shown.
        let isReady = try arrival.whole != nil || session.advance(options) && !decode.isProof
        guard isReady, !needsFrames(properties, arrival) else {
            try host.show(arrival, bytes) {
                guard let image = try session.preview(options) else { return nil }
                return ImageContainer(
                    image: try DecodeStage.finish(image, decode, properties), format: properties.format, isPreview: true
                )
            }
            return .starved
        }
        if arrival.whole == nil, isAtEnd(arrival, decode) { return .starved }
        let image = try DecodeStage.finish(try session.decode(options), decode, properties)
        work.session = nil
        bytes.transfer.noteUse()
        // Those who keep the bytes need all of them; the image itself only what was said about them.
        let source =
            arrival.whole ?? FetchedBytes(chunks: [], count: 0, response: arrival.response, times: arrival.times)
        var container = ImageContainer(
            image: image, format: properties.format, originalSize: properties.displaySize)
        if arrival.whole != nil {
            note(properties, of: source, in: &container)
        } else {
            source.noteFrames(properties.frameCount)
            container.isAnimated = properties.isAnimation
        }
        if decode.isProof { return finishProof(work, source) }
        environment.freshness?.mark(&container, source, work.request)
        work.finish(
            container, of: source,
            progress: ImageTask.Progress(completed: arrival.count, total: arrival.total ?? arrival.whole?.count))
        return .finished
    }

    /// Whether bytes are still to come that frames after the first need. The first frame is a preview until then.
    private func needsFrames(_ properties: ImageProperties, _ arrival: BodyTransfer.Arrival) -> Bool {
        arrival.whole == nil && environment.keepsAnimationData && properties.mayBeAnimation
    }

    /// Whether nothing is to come but the end, which is worth waiting for: a transfer that is stopped before it cannot
    /// be kept. Of a body of unknown length a decode of all its pixels has had need of all its bytes, or nearly so.
    private func isAtEnd(_ arrival: BodyTransfer.Arrival, _ decode: Order) -> Bool {
        arrival.total.map { arrival.count >= $0 } ?? (decode.target == nil)
    }

    /// The session, fed with what is new; `nil` if there is too little to tell the format by.
    private func open(
        _ work: JobWork, _ bytes: ArrivingBytes, _ arrival: BodyTransfer.Arrival, _ cancellation: CancellationFlag
    ) throws -> (any ImageDecodingSession)? {
        if let session = work.session {
            for chunk in arrival.chunks { try session.append(chunk) }
            return session
        }
        let head = bytes.gather(arrival.chunks)
        if head.count < ImageFormat.sniffLength, arrival.whole == nil { return nil }
        let session = try session(for: head, arrival.response, of: work.request, cancellation)
        for chunk in bytes.takeWaiting() { try session.append(chunk) }
        work.session = session
        return session
    }
}
