import FirnProcessing
import FirnSync

/// Decodes images.
struct DecodeStage {
    let decoders: DecoderChoice
    let freshness: FreshnessRules?
    let pyramids: PyramidBuilds
    /// True if the first frame of an animation keeps the bytes of its file.
    let keepsAnimationData: Bool
    /// Decodes that need less memory are not counted, because a reservation costs more than it saves.
    static let uncountedBytes = 1 << 20

    /// Decodes whole bytes once `reserve` grants the memory.
    ///
    /// - Parameter reserve: called once, with an estimate in bytes. After `false` the job is parked and runs again
    ///   later.
    func run(
        _ step: RequestStep, _ job: EngineJob, _ cancellation: CancellationFlag, reserve: (Int) -> Bool
    ) -> StageOutcome {
        guard case .bytes(let bytes)? = job.input else {
            return .failed(.init(.pipeline, at: .decoding, of: job.request, "a decode without bytes"))
        }
        do {
            let isFirst = job.session == nil
            var opened = job.session
            if isFirst, case .render(let render) = step {
                let session = try decoders.open(bytes, job.request, cancellation)
                try plan(render.value, job, session, bytes)
                opened = session
            }
            guard let decode = DecodeStage.parameters(step, job.plan) else {
                return try rendered(nil, job, bytes, cancellation)
            }
            // The data cache stores only bytes that a decode has verified.
            if decode.isProof, bytes.isFromDisk {
                job.input = nil
                return .done(.proof(bytes))
            }
            var index: Data?
            if isFirst, let region = decode.region, decode.frame == 0 {
                let tiles = pyramids.tiles.tiles(region, decode.target, decode.format, for: job.request, bytes)
                if let container = tiles.image { return try done(container, job, bytes, cancellation) }
                index = tiles.index
            }
            let session = try opened ?? decoders.open(bytes, job.request, cancellation)
            if let index { (session as? any RowStreaming)?.partIndex = index }
            let properties = try DecodeStage.properties(session, decode.frame)
            let options = try decode.options(for: properties, session)
            if isFirst {
                let needed = session.workingBytes(for: options)
                try decoders.checkMemory(needed, properties)
                if needed > DecodeStage.uncountedBytes {
                    (session as? any WorkSharing)?.stripes = StripeCrew.shared.ofDecoder
                    // Order: set first, since another thread may continue as soon as the job is parked.
                    job.session = session
                    if !reserve(needed) { return .pending }
                }
            }
            defer { job.session = nil }
            let decoded = try StripeCrew.shared.decoding { try session.decode(options) }
            // An entry that was stored is damaged, and its source may still have the whole image.
            if let damage = session.damage, bytes.isFromDisk { throw damage }
            let image = try DecodeStage.finish(decoded, decode, properties, options)
            if decode.region != nil, decode.frame == 0, session.damage == nil {
                pyramids.noteRegion(of: bytes, properties, session, job.request)
            }
            return try done(
                image, decode.gainMap(session), session.damage, decode, properties, job, bytes, cancellation)
        } catch let cause {
            job.session = nil
            return .failed(DecodeStage.translated(cause, job.request))
        }
    }

    /// Ends a decode with its image, which keeps the bytes of an animation.
    ///
    /// - Parameters:
    ///   - map: the gain map of the image, if it is requested.
    ///   - damage: why the image is incomplete; `nil` if it is complete.
    ///   - bytes: the bytes of the image; without their body if some are missing, which no image has to keep then.
    ///   - progress: how many bytes had arrived; `nil` for all of them.
    func done(
        _ image: Bitmap, _ map: GainMap?, _ damage: ImageError?, _ decode: RequestStep.Decode,
        _ properties: ImageProperties, _ job: EngineJob, _ bytes: FetchedBytes, _ cancellation: CancellationFlag,
        progress: ImageTask.Progress? = nil
    ) throws -> StageOutcome {
        bytes.noteFrames(properties.frameCount)
        if decode.isProof {
            job.input = nil
            return .done(.proof(bytes))
        }
        var container = ImageContainer(
            image: image, format: properties.format, originalSize: properties.displaySize)
        container.sourceVersion = bytes.version
        container.vectorSize = properties.extent.vector
        container.damage = damage
        container.gainMap = map
        // Neither the image nor anything made of it may enter a cache.
        if damage != nil { job.forget([.memory, .disk]) }
        decode.note(properties, of: bytes, job.request, in: &container)
        // Frames of an animation are decoded as a whole, so a region is a still.
        container.isAnimated = properties.isAnimation && container.area == nil
        if container.isAnimated, keepsAnimationData { container.data = bytes.original }
        return try done(consume container, job, bytes, cancellation, progress)
    }

    private func done(
        _ container: consuming ImageContainer, _ job: EngineJob, _ bytes: FetchedBytes,
        _ cancellation: CancellationFlag, _ progress: ImageTask.Progress? = nil
    ) throws -> StageOutcome {
        if job.plan != nil { return try rendered(container, job, bytes, cancellation, progress: progress) }
        job.input = nil
        freshness?.mark(&container, bytes, job.request)
        return .done(.image(container, of: bytes, progress: progress))
    }

    /// Returns the properties of a page or frame of content whose bytes are all there; those of the file if there is no
    /// such page, whose decode fails.
    static func properties(_ session: any ImageDecodingSession, _ page: Int = 0) throws(ImageError) -> ImageProperties {
        if page > 0, let properties = try session.properties(ofFrame: page) { return properties }
        if let properties = try session.properties() { return properties }
        throw ImageError(.data, at: .decoding, "the content ends before the image's size")
    }

    /// Returns the parameters of a step; `nil` for a processor.
    ///
    /// - Parameter plan: the plan of a rendering. One that decodes nothing has no parameters.
    static func parameters(_ step: RequestStep, _ plan: RenderingPlan?) -> RequestStep.Decode? {
        switch step {
        case .plainDecode: .plain
        case .decode(let decode): decode
        case .render: plan?.decoding
        case .process: nil
        }
    }

    /// Returns the decoder's image, which has at least the pixels of the target, resized if the step requests the exact
    /// size.
    ///
    /// - Parameter options: the options that the decoder got.
    static func finish(
        _ image: Bitmap, _ decode: RequestStep.Decode, _ properties: ImageProperties, _ options: DecodingOptions
    ) throws -> Bitmap {
        let area = try decode.area(in: properties)
        if let area, options.region == nil {
            let size = decode.isExact ? decode.target?.resolved(for: properties.extent.part(area.size)) : nil
            return try image.cut(area, of: PixelArea(properties.displaySize), to: size)
        }
        guard decode.isExact, let target = decode.target else { return image }
        let size = target.resolved(for: properties.extent.part(area?.size ?? properties.displaySize))
        return size == image.size ? image : try image.resized(to: size)
    }

    static func translated(_ cause: any Error, _ request: ImageRequest) -> ImageLoadingError {
        switch cause {
        case let cause as ImageLoadingError: cause
        case let cause as ImageError: ImageLoadingError(cause, at: .decoding, source: request.description)
        case let cause as DataFileError:
            ImageLoadingError(ImageError(cause), at: .decoding, source: request.description)
        case is CancellationError:
            .init(.cancelled, at: .decoding, of: request, "the request was cancelled", underlying: cause)
        default: .init(.data, at: .decoding, of: request, "\(cause)", underlying: cause)
        }
    }

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

extension RequestStep.Decode {
    /// Returns the gain map if it is requested, and not damaged.
    func gainMap(_ session: any ImageDecodingSession) throws(ImageError) -> GainMap? {
        guard options.contains(.includeGainMap), frame == 0, region == nil else { return nil }
        do { return try session.gainMap() } catch let error where error.fault != .cancelled { return nil }
    }

    /// Returns the options for the decoder. An image with transparency cannot have an opaque layout. A decoder that
    /// does not support regions gets the size of the whole image at which the region has the wanted pixels.
    func options(
        for properties: ImageProperties, _ session: any ImageDecodingSession
    ) throws(ImageError) -> DecodingOptions {
        var options = DecodingOptions()
        options.frame = frame
        let target = target(for: properties)
        try target?.check()
        options.targetSize = target
        // The values of another color space would have no meaning without a profile of RGB colors.
        options.appliesColorProfile =
            !self.options.contains(.keepColorProfile) || !properties.hasRGBProfile
        options.preservesHDR = self.options.contains(.preserveHDR)
        options.allowsEmbeddedPreview = self.options.contains(.allowEmbeddedPreview)
        options.allowsPartial = self.options.contains(.allowPartial)
        options.pixelFormat = format == .rgb8 && properties.hasAlpha ? .bgra8Premultiplied : format
        guard let area = try area(in: properties) else { return options }
        if session.decodesRegions {
            options.region = region
        } else if let target {
            let whole = properties.displaySize
            let size = target.resolved(for: properties.extent.part(area.size))
            let scale = max(
                Double(size.width) / Double(area.size.width), Double(size.height) / Double(area.size.height))
            func side(_ length: Int) -> Int {
                Int(saturating: min(max(1, (Double(length) * scale).rounded(.up)), 0x1p52))
            }
            options.targetSize = TargetSize(
                width: side(whole.width), height: side(whole.height), mode: .fill)
        }
        return options
    }

    /// The size at which an image with these properties is decoded; `nil` for all stored pixels.
    func target(for properties: ImageProperties) -> TargetSize? {
        target ?? (properties.vectorSize == nil ? nil : vectorTarget)
    }

    /// The part of the whole image that is decoded; `nil` for all of it.
    func area(in properties: ImageProperties) throws(ImageError) -> PixelArea? {
        guard let region else { return nil }
        guard let area = region.resolved(in: properties.displaySize) else {
            throw ImageError(
                .request, at: .decoding,
                "the region \(region) has no pixel in the image of \(properties.displaySize) pixels",
                format: properties.format)
        }
        return area
    }

    /// Records which part of the whole image the container shows.
    func note(
        _ properties: ImageProperties, of bytes: FetchedBytes, _ request: ImageRequest,
        in container: inout ImageContainer
    ) {
        if let region { container.area = region.resolved(in: properties.displaySize) }
        // A stored region looks like a whole image, whose size is unknown.
        if request.region != nil, let key = bytes.diskKey, key != request.dataCacheKey {
            container.originalSize = nil
        }
    }
}
