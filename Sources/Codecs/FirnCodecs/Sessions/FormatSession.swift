import FoundationEssentials
import FirnSync

/// Decodes one file of any format that has a ``FormatReader``.
///
/// The session keeps all bytes, so that any frame can be decoded at any time, but only the pixels of the current
/// decode.
final class FormatSession: ByteSourceReading, WorkSharing {
    private(set) var reader: any FormatReader
    let limits: ImageLimits
    private let host: DecoderHost
    private let makeReader: () -> any FormatReader
    private var compositor: FrameCompositor
    private(set) var chain: ByteChain
    /// True if the reader has seen all of `chain`.
    private var isScanned = false
    private var failure: ImageError?
    /// The page described last.
    var page: (index: Int, properties: ImageProperties)?
    /// The options and error of the last decode that found damaged data in one frame or region; further bytes do not
    /// repair it.
    private var damaged: (options: DecodingOptions, error: ImageError)?
    /// Order: an orientation that is found after the pixels requires a new decode.
    private var running: (options: DecodingOptions, orientation: ImageOrientation, decode: any FrameDecode)?
    private(set) var bytesNeeded: Int?
    private(set) var damage: ImageError?
    var decodesRegions: Bool { true }
    var stripes: any StripeExecutor {
        get { reader.stripes }
        set { reader.stripes = newValue }
    }

    /// - Parameters:
    ///   - makeReader: called again after a call that reached its time limit while it read.
    ///   - host: where the reader's decoders run. Default: this process.
    ///   - failure: the error of every call that can throw one. Default: none.
    init(
        _ makeReader: @autoclosure @escaping () -> any FormatReader, limits: ImageLimits, host: DecoderHost = .own,
        failure: ImageError? = nil
    ) {
        self.makeReader = makeReader
        reader = makeReader()
        self.limits = limits
        self.host = host
        self.failure = failure
        chain = ByteChain(watch: host.watch)
        compositor = FrameCompositor(reader, limits: limits)
    }

    func append(_ data: Data) throws(ImageError) {
        guard try admits(data.count) else { return }
        chain.append(data)
        if chain.pieceCount > limits.maximumChunks { chain.join() }
    }

    func read(from source: any ByteSource) throws(ImageError) {
        guard try admits(source.count) else { return }
        chain.append(source)
    }

    /// Returns whether further bytes are accepted; none are once the file has ended.
    private func admits(_ count: Int) throws(ImageError) -> Bool {
        if let failure { throw failure }
        guard chain.count.saturatingAdd(count) <= limits.maximumBytes else {
            throw fail(limits.tooManyBytes)
        }
        guard !chain.isFinished else { return false }
        isScanned = false
        return true
    }

    func finish() {
        guard !chain.isFinished else { return }
        chain.finish()
        isScanned = false
    }

    func properties() throws(ImageError) -> ImageProperties? {
        try scan()
        return reader.properties
    }

    func frames() throws(ImageError) -> [FrameProperties] {
        try scan()
        guard let properties = reader.properties else { return [] }
        let composes = reader.order != nil
        return reader.frames.enumerated().map { index, frame in
            FrameProperties(
                size: composes ? properties.size : frame.size, duration: frame.duration.map { .milliseconds($0) },
                hasAlpha: composes ? compositor.hasAlpha(index) : frame.hasAlpha, isComplete: frame.isComplete,
                orientation: frame.orientation)
        }
    }

    func workingBytes(for options: DecodingOptions) -> Int {
        // Without a plan, the decode fails with the reason.
        guard (try? scan()) != nil, reader.properties != nil, reader.frames.indices.contains(options.frame),
            let options = try? resolved(options), let plan = try? plan(indexed(options))
        else { return 0 }
        return workingBytes(plan)
    }

    private func workingBytes(_ plan: DecodePlan) -> Int {
        guard isDrawn(plan.options) else {
            return plan.resultBytes(rows: reader.partSize(for: plan.request))
                .saturatingAdd(reader.partWorkingBytes(for: plan.request))
        }
        return plan.resultBytes(rows: plan.request.area?.size ?? plan.properties.size)
            .saturatingAdd(compositor.workingBytes(plan.request.whole))
    }

    func advance(_ options: DecodingOptions) throws(ImageError) -> Bool {
        let options = try resolved(options)
        guard let decode = try begin(options) else { return false }
        return try advance(decode, options)
    }

    func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? {
        let options = try resolved(options)
        guard let decode = try begin(options) else { return nil }
        _ = try advance(decode, options)
        return try step(options) { () throws(ImageError) in try partial(decode, always: false) }
            .map { tagged($0, options) }
    }

    func partial(_ decode: any FrameDecode, always: Bool) throws(ImageError) -> Bitmap? {
        try timed { () throws(ImageError) in try decode.partial(chain, always: always) }
    }

    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
        damage = nil
        let options = try resolved(options)
        guard let decode = try begin(options) else { throw missing(options) }
        let cause: ImageError
        do {
            if try advance(decode, options) {
                running = nil
                return try tagged(decode.finish(), options)
            }
            cause = missing(options)
        } catch { cause = error }
        guard options.allowsPartial, cause.fault == .data || cause.fault == .incomplete,
            let image = try partial(after: decode, options)
        else { throw cause }
        damage = cause
        return tagged(image, options)
    }

    func gainMap() throws(ImageError) -> GainMap? {
        try scan()
        guard let properties = reader.properties, properties.hasGainMap,
            let found = try timed({ () throws(ImageError) in reader.gainMap(chain) })
        else { return nil }
        let makeReader = makeReader
        let inner = FormatSession(makeReader(), limits: limits, host: host)
        inner.chain = found.file
        inner.stripes = stripes
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        // The map holds no colors.
        (options.appliesColorProfile, options.appliesOrientation) = (false, !found.isOrientedLikeBase)
        let stored = try inner.decode(options)
        let image = found.isOrientedLikeBase ? try stored.oriented(properties.orientation) : stored
        if let metadata = found.metadata { return GainMap(image: image, metadata: metadata) }
        let headroom = try GainMap.appleHeadroom(xmp: inner.properties()?.xmp, exif: properties.exif)
        return headroom.flatMap { GainMap(apple: image, headroom: $0) }
    }

    // MARK: Shared steps

    /// Runs a part of a call within the time limit.
    ///
    /// - Parameter continues: whether the time of the part before counts, too. Default: false.
    /// - Throws: the error of the watch if it ended the call, otherwise that of `body`.
    func timed<Result>(
        continues: Bool = false, _ body: () throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        let watch = chain.watch
        if !continues { watch.start(limit: limits.maximumDecodingTime) }
        let result: Swift.Result<Result, ImageError>
        do throws(ImageError) { result = .success(try body()) } catch { result = .failure(error) }
        guard let ended = watch.ended else { return try result.get() }
        startOver()
        throw ended
    }

    /// Discards everything but the bytes.
    private func startOver() {
        let (stripes, index) = (reader.stripes, partIndex)
        reader = makeReader()
        (reader.stripes, partIndex) = (stripes, index)
        compositor = FrameCompositor(reader, limits: limits)
        running = nil
        page = nil
        isScanned = false
    }

    func scan() throws(ImageError) {
        if let failure { throw failure }
        guard !isScanned else { return }
        do {
            try timed { () throws(ImageError) in try reader.scan(&chain) }
        } catch {
            throw fail(error)
        }
        page = nil
        isScanned = true
    }

    /// Returns the decode for these options, new or current; `nil` if the frame is not known yet.
    ///
    /// - Parameter isPartial: whether an incomplete image is requested of the reader. Default: no, even if allowed.
    func begin(
        _ options: DecodingOptions, isPartial: Bool = false
    ) throws(ImageError) -> (any FrameDecode)? {
        try scan()
        guard let properties = reader.properties else { return nil }
        let frames = reader.frames
        guard frames.indices.contains(options.frame) else {
            guard chain.isFinished || options.frame < 0 else { return nil }
            throw named(.unsupported("has \(frames.count) frames; there is none numbered \(options.frame)"))
        }
        if !isPartial, let running, running.options == options, running.orientation == properties.orientation {
            return running.decode
        }
        if let damaged, damaged.options == options { throw damaged.error }
        running = nil
        // Not in a step, whose errors are those of the image.
        do { try options.targetSize?.check() } catch { throw named(error) }
        let plan = try step(options) { () throws(ImageError) in
            var options = indexed(options)
            options.allowsPartial = isPartial
            return try self.plan(options)
        }
        if options.pixelFormat == .rgb8, plan.properties.hasAlpha {
            throw named(.unsupported("has transparency, which the pixel format rgb8 cannot hold"))
        }
        if plan.isOutside, let region = options.region {
            let message = "the region \(region) has no pixel in the image of \(plan.shownSize) pixels"
            throw named(ImageError(.request, at: .decoding, message))
        }
        try checkMemory(plan)
        let decode: any FrameDecode
        if isDrawn(plan.options) {
            try limits.admitBuffer(properties.size, plan.options.pixelFormat)
            decode = CompositedFrameDecode(compositor, plan)
        } else {
            decode = SingleFrameDecode(reader, plan, limits: limits)
        }
        running = (options, properties.orientation, decode)
        return decode
    }

    /// Checks the memory that a decode would hold, before any allocation.
    ///
    /// - Throws: ``ImageError/Fault/limit``.
    private func checkMemory(_ plan: DecodePlan) throws(ImageError) {
        let width = isDrawn(plan.options) ? plan.properties.size.width : reader.decodedWidth(for: plan.request)
        do throws(ImageError) {
            try plan.checkRow(width: width, limits)
            let bytes = workingBytes(plan)
            guard bytes <= limits.maximumWorkingBytes else {
                throw .limit(
                    "decoding takes \(bytes) bytes of memory; \(limits.maximumWorkingBytes) are allowed",
                    "maximumWorkingBytes")
            }
        } catch {
            // Not stored: the same file may be decoded at another size.
            throw named(error)
        }
    }

    /// Returns the options with the reader's index of the frame that they request.
    private func indexed(_ options: DecodingOptions) -> DecodingOptions {
        guard options.frame == 0, options.prefersDefaultImage, reader.defaultImage != nil else { return options }
        var options = options
        options.frame = RowRequest.defaultImage
        return options
    }

    /// Returns whether the frame is drawn over the frames before it.
    ///
    /// - Parameter options: with the reader's index of the frame.
    func isDrawn(_ options: DecodingOptions) -> Bool {
        options.frame >= 0 && reader.order != nil && compositor.needsCanvas(options.frame, for: options)
    }

    /// Returns the plan for `options`, whose frame is known. Reads the color profile unless it is cached.
    ///
    /// - Parameter options: with the reader's index of the frame.
    func plan(_ options: DecodingOptions) throws(ImageError) -> DecodePlan {
        guard let properties = try describe(options.frame) else { throw missing(options) }
        var frame = reader.frame(options.frame) ?? reader.defaultImage ?? StoredFrame(size: properties.size)
        if isDrawn(options) { frame.size = properties.size }
        let stored = frame
        return try timed { () throws(ImageError) in
            try DecodePlan(options, properties, frame: stored, host.metadata(limits))
        }
    }

    func advance(_ decode: any FrameDecode, _ options: DecodingOptions) throws(ImageError) -> Bool {
        let isComplete = try step(options) { () throws(ImageError) in
            try timed { () throws(ImageError) in try decode.advance(chain) }
        }
        if isComplete { bytesNeeded = decode.bytesNeeded }
        return isComplete
    }

    /// Runs a step of a decode, and handles its failure for these options.
    private func step<Result>(
        _ options: DecodingOptions, _ body: () throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        do { return try body() } catch { throw fail(error, in: options) }
    }

    /// Ends the current decode, because another call is about to use the reader.
    func endDecode() { running = nil }

    /// Returns the error for an image whose received bytes are valid but not sufficient.
    func missing(_ options: DecodingOptions) -> ImageError {
        if chain.isFinished {
            let error = ImageError(.data, at: .decoding, "the data is cut short")
            return fail(error, in: options.region == nil && !options.allowsPartial ? nil : options)
        }
        return named(ImageError(.incomplete, at: .decoding, "not all bytes of the frame have come"))
    }

    /// Handles a failure. One that concerns a single frame or region is stored for its options alone, because others
    /// may be valid.
    private func fail(_ error: ImageError, in options: DecodingOptions? = nil) -> ImageError {
        running = nil
        let error = named(error)
        if let options, options.frame > 0 || options.region != nil || options.allowsPartial, error.fault != .cancelled {
            if error.fault == .data, !options.allowsPartial { damaged = (options, error) }
        } else {
            failure = error
        }
        return error
    }

    private func named(_ error: ImageError) -> ImageError {
        if error.fault == .data, let reason = chain.readFailure {
            return ImageError(.data, at: .decoding, "cannot read the file: \(reason)", format: reader.format)
        }
        return ImageError(error, at: .decoding, format: reader.properties?.format ?? reader.format)
    }
}
