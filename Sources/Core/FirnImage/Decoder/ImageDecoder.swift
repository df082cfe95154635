package import FirnSync
public import FoundationEssentials

/// Decodes one file, still or animated, as its bytes arrive.
///
/// Corresponds to a browser's image decoder. Reports type, size, frames and durations as soon as they are known, and
/// decodes any frame at any size. The results do not depend on how the bytes are split.
///
///     let decoder = ImageDecoder(decoders: decoders)
///     try decoder.append(bytes)
///     decoder.finish()
///     let image = try decoder.frame(at: 0).image()
///
/// Threads: all methods may be called on any thread. Appending bytes never blocks. ``frame(at:options:isLazy:)``,
/// ``preview(_:)`` and ``advance(_:)`` compute on the calling thread, one at a time. Properties (``size``,
/// ``frameCount``, …) evaluate the bytes appended since the last access, at little cost. While another thread decodes,
/// they return the state at the start of that decode without waiting.
///
/// Failures: if the file's header is damaged, ``error`` says so permanently. A damaged frame fails when it is decoded;
/// other frames are not affected.
///
/// Memory: the bytes are retained and never joined; decoded pixels belong to the caller.
public final class ImageDecoder: @unchecked Sendable {
    // Safety: `work` is accessed only by the thread that holds the turn; everything else is guarded by its lock.
    private let work: DecoderWork
    private let turn = DecodingTurn()
    private let inbox: Locked<DecoderInbox>
    /// The limits for the file.
    public let limits: ImageLimits

    /// Creates a decoder without data.
    ///
    /// - Parameters:
    ///   - decoders: the decoders, in order of preference; the first that recognizes the file decodes it.
    ///   - limits: the limits for the file. Default: those of `ImageLimits()`.
    public init(decoders: [any ImageDecoding], limits: ImageLimits = ImageLimits()) {
        self.limits = limits
        work = DecoderWork(decoders: decoders, limits: limits)
        inbox = Locked(DecoderInbox(maximumBytes: limits.maximumBytes))
    }

    // MARK: Bytes

    /// Appends the next bytes of the file, which are retained, not copied, and decoded later.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if the file is longer than `maximumBytes`, permanently;
    ///   ``ImageError/Fault/request`` after ``finish()``, without effect; the permanent failure, if there is
    ///   one.
    public func append(_ data: Data) throws(ImageError) {
        try append(contentsOf: MemoryByteSource(data))
    }

    /// Appends the bytes of a source, which are read on demand.
    ///
    /// - Throws: the same errors as ``append(_:)``.
    package func append(contentsOf source: any ByteSource) throws(ImageError) {
        try inbox.withLock { inbox throws(ImageError) in try inbox.append(source) }
    }

    /// Marks the data as complete. Afterwards missing bytes are an error.
    public func finish() { inbox.withLock { $0.finish() } }

    /// Appends the new bytes, given all bytes of the file so far.
    ///
    /// - Parameters:
    ///   - data: the file from its first byte. Bytes from earlier calls are ignored.
    ///   - allDataReceived: whether `data` is the whole file.
    /// - Throws: the same errors as ``append(_:)``; ``ImageError/Fault/request`` if `data` is shorter than
    ///   before, without an effect.
    public func setData(_ data: Data, allDataReceived: Bool) throws(ImageError) {
        try inbox.withLock { inbox throws(ImageError) in
            let received = inbox.received
            guard data.count >= received else {
                throw ImageError(
                    .request, at: .decoding,
                    "\(data.count) bytes were handed over as the whole so far, after \(received)")
            }
            if data.count > received {
                // Retaining a growing buffer would make its owner copy it at each append.
                let isWhole = received == 0 && allDataReceived
                let new = isWhole ? data : ReceivedBytes.copy(data.dropFirst(received))
                try inbox.append(MemoryByteSource(new))
            }
            if allDataReceived { inbox.finish() }
        }
    }

    /// True if the last byte has been appended.
    public var isAllDataReceived: Bool { inbox.withLock { $0.isFinished } }

    /// The number of bytes appended so far.
    public var receivedBytes: Int { inbox.withLock { $0.received } }

    // MARK: Decoding

    /// The current state, or the state at the start of the decode that another thread runs.
    var snapshot: DecoderSnapshot {
        let (isStale, last) = inbox.withLock { ($0.isStale, $0.snapshot) }
        guard isStale else { return last }
        // The other thread has published the state before it decodes.
        guard turn.take(yields: true) else { return inbox.withLock { $0.snapshot } }
        defer { turn.leave() }
        return settle()
    }

    /// Takes the turn, runs `body` with the session, and updates the state before and after.
    func withSession<Result>(
        _ body: (any ImageDecodingSession, DecoderSnapshot) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        turn.take()
        defer { turn.leave() }
        let known = settle()
        if let error = known.error { throw error }
        let (session, flag) = try work.ready()
        inbox.withLock { $0.running = flag }
        turn.beginDecoding()
        defer {
            inbox.withLock { $0.running = nil }
            // The next call replaces a cancelled session; parsing the file again now might take long.
            if !flag.isCancelled { settle() }
        }
        return try body(session, known)
    }

    /// Cancels the decode or parsing that runs on another thread, which throws ``ImageError/Fault/cancelled``.
    /// The decoder stays usable; the next call starts over with the same bytes.
    public func cancelDecoding() {
        inbox.withLock { $0.running?.cancel() }
    }

    /// Adds the pending bytes and updates the state. Requires the turn.
    @discardableResult
    private func settle() -> DecoderSnapshot {
        let (pieces, isFinished) = inbox.withLock { inbox in
            defer { inbox.pending = [] }
            return (inbox.pending, inbox.isFinished)
        }
        work.take(pieces, isFinished: isFinished)
        let flag = work.begin()
        inbox.withLock { $0.running = flag }
        let known = work.snapshot()
        return inbox.withLock { inbox in
            inbox.running = nil
            // A stopped description has to be repeated.
            inbox.isStale = flag.isCancelled || !inbox.pending.isEmpty || isFinished != inbox.isFinished
            // The first error stays, also one of the inbox.
            if inbox.snapshot.error == nil { inbox.snapshot = known }
            return inbox.snapshot
        }
    }

    // MARK: Status

    /// The part of a file that is known.
    package enum Status: String, Hashable, Sendable {
        /// Nothing.
        case unknown
        /// The format.
        case typeAvailable
        /// The format, the size, and the frames that have arrived.
        case sizeAvailable
        /// All bytes have arrived and the file was read to its end; its last frame may be truncated.
        case complete
        /// The file cannot be decoded; ``ImageDecoder/error`` holds the reason.
        case error
    }

    /// The part of the file that is known.
    package var status: Status { snapshot.status }

    /// The reason why the file cannot be decoded; `nil` if there is none so far. Permanent.
    public var error: ImageError? { snapshot.error }

    /// The format, by content. May become more exact when ``properties`` are known (an animated PNG).
    public var format: ImageFormat? { snapshot.format }

    /// The properties and metadata of the file; `nil` before they are known.
    public var properties: ImageProperties? { snapshot.properties }

    /// The size as stored, before orientation; `nil` before it is known.
    public var size: PixelSize? { snapshot.properties?.size }

    /// The rotation and reflection for display; ``ImageOrientation/up`` before it is known.
    public var orientation: ImageOrientation { snapshot.properties?.orientation ?? .up }

    /// The embedded color profile; `nil` if there is no valid one, or before it has arrived.
    public var colorProfile: ColorProfile? { snapshot.properties?.colorProfile }

    /// The number of plays of the animation; `nil` before ``properties`` are known. May change while bytes arrive.
    ///
    /// - Source: ``ImageProperties/repetitionCount``.
    public var repetitionCount: RepetitionCount? { snapshot.properties?.repetitionCount }

    /// The number of leading bytes that the last decode needed; `nil` if unknown.
    public var bytesNeeded: Int? { snapshot.bytesNeeded }

    /// The number of frames, pages or images known so far.
    public var frameCount: Int { snapshot.frames.count }

    /// The frames known so far.
    public var frames: [FrameProperties] { snapshot.frames }

    /// Returns the properties of a frame. A page of a document or an image of a multi-image file has its own size,
    /// orientation, depth, color profile, resolution and metadata; frames of an animation share those of the file.
    ///
    /// Computes on the calling thread and discards an incomplete decode.
    ///
    /// - Returns: `nil` if the frame is not known.
    /// - Throws: the error of the page, or the permanent failure.
    public func properties(ofFrame index: Int) throws(ImageError) -> ImageProperties? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in
            try session.properties(ofFrame: index)
        }
    }

    /// Returns the stored size of a frame, before orientation, divided by `subsamplingLevel`.
    ///
    /// - Returns: each side rounded up; `nil` if the frame is unknown or the level is below 1.
    public func frameSize(at index: Int, subsamplingLevel: Int = 1) -> PixelSize? {
        guard subsamplingLevel >= 1 else { return nil }
        return snapshot.frame(index)?.size.divided(by: subsamplingLevel)
    }

    /// Returns the stored duration of a frame; `nil` if the frame is unknown or has no duration.
    public func frameDuration(at index: Int) -> Duration? { snapshot.frame(index)?.duration }

    /// Returns the duration for which browsers show a frame: 10 ms and less become 100 ms. `nil` as for
    /// ``frameDuration(at:)``.
    ///
    /// - Source: ``FrameProperties/displayDuration``.
    public func frameDisplayDuration(at index: Int) -> Duration? { snapshot.frame(index)?.displayDuration }

    /// Returns whether some pixel of a frame may be transparent; true if the frame is unknown.
    public func frameHasAlpha(at index: Int) -> Bool { snapshot.frame(index)?.hasAlpha ?? true }

    /// Returns whether all bytes of a frame's own pixels have arrived.
    public func isFrameComplete(at index: Int) -> Bool { snapshot.frame(index)?.isComplete ?? false }

    /// Decodes a frame, now or when its pixels are first accessed.
    ///
    /// With a target size, the image has at least that size, and may have more pixels. For the exact size, resize the
    /// image to `targetSize.resolved(for: properties)`, or to the size resolved for the region.
    ///
    /// A lazy frame is decoded by the first call of ``DecodedFrame/image()``, on the thread that calls it, for frames
    /// that may never be drawn. It keeps the decoder and its bytes until then, and uses bytes that arrive until then.
    ///
    /// - Parameters:
    ///   - index: the index of the frame, from 0.
    ///   - options: region, size, pixel format, colors, and whether to return an incomplete frame. `options.frame` is
    ///     ignored. Default: all pixels, upright, in sRGB, in the layout of displays.
    ///   - isLazy: whether the pixels are decoded when they are first accessed. Default: no; they are decoded before
    ///     this call returns, on the calling thread.
    /// - Throws: ``ImageError/Fault/request`` if the file has no such frame, or the region lies outside the
    ///   frame; ``ImageError/Fault/incomplete`` if bytes of the frame may still arrive;
    ///   ``ImageError/Fault/cancelled`` after ``cancelDecoding()``; other faults if the frame cannot be
    ///   decoded. For a lazy frame, this method throws only for an unknown frame and the file's permanent failure;
    ///   ``DecodedFrame/image()`` throws the other errors.
    public func frame(
        at index: Int, options: DecodingOptions = DecodingOptions(), isLazy: Bool = false
    ) throws(ImageError) -> DecodedFrame {
        var options = options
        options.frame = index
        guard !isLazy else {
            let known = snapshot
            if let error = known.error { throw error }
            let frame = try frame(index, in: known)
            let asked = options
            return DecodedFrame(
                frame, of: known, options, FramePixels { () throws(ImageError) in try self.decoded(asked).0 })
        }
        let (decoded, frame, known) = try decoded(options)
        return DecodedFrame(frame, of: known, options, FramePixels(decoded))
    }

    /// Returns the first frame as far as it can be decoded. Missing pixels are transparent; if the last rows are
    /// missing, an image requested as `rgb8` is returned as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if nothing is new since the last preview with the same options, or nothing is known yet.
    /// - Throws: the permanent failure; ``ImageError/Fault/cancelled`` after ``cancelDecoding()``.
    public func preview(_ options: DecodingOptions = DecodingOptions()) throws(ImageError) -> Bitmap? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in try session.preview(options) }
    }

    /// Decodes the bytes that have arrived, so that a later ``frame(at:options:isLazy:)`` has less work.
    ///
    /// - Returns: whether that frame needs no further bytes.
    /// - Throws: the same errors as ``preview(_:)``.
    @discardableResult
    public func advance(_ options: DecodingOptions = DecodingOptions()) throws(ImageError) -> Bool {
        try withSession(orIncomplete: false) { session throws(ImageError) in try session.advance(options) }
    }

    /// Decodes the gain map of the first frame, upright like the displayed image. Computes on the calling thread.
    ///
    /// Supported are the maps of Ultra HDR, ISO 21496-1 and Apple in JPEG, AVIF, HEIC and JPEG XL files.
    ///
    /// - Returns: `nil` if the file has none that is supported, or not all bytes have arrived.
    /// - Throws: ``ImageError`` if the map's pixels are damaged; the permanent failure. Frames can still be decoded.
    public func gainMap() throws(ImageError) -> GainMap? {
        try withSession(orIncomplete: nil) { session throws(ImageError) in try session.gainMap() }
    }

    /// Estimates the peak memory in bytes of a decode with these options; 0 before the size is known.
    public func workingBytes(for options: DecodingOptions) throws(ImageError) -> Int {
        try withSession(orIncomplete: 0) { session throws(ImageError) in session.workingBytes(for: options) }
    }

    /// Returns the result of `body`; `fallback` if more bytes are needed.
    private func withSession<Result>(
        orIncomplete fallback: Result,
        _ body: (any ImageDecodingSession) throws(ImageError) -> Result
    ) throws(ImageError) -> Result {
        do throws(ImageError) {
            return try withSession { session, _ throws(ImageError) in try body(session) }
        } catch {
            if error.fault == .incomplete { return fallback }
            throw error
        }
    }

    private func decoded(
        _ options: DecodingOptions
    ) throws(ImageError) -> (FramePixels.Decoded, FrameProperties, DecoderSnapshot) {
        try withSession { session, known throws(ImageError) in
            let frame = try frame(options.frame, in: known)
            let image = try session.decode(options)
            return ((image, session.damage), frame, known)
        }
    }

    private func frame(_ index: Int, in known: DecoderSnapshot) throws(ImageError) -> FrameProperties {
        if let frame = known.frame(index) { return frame }
        guard index >= 0, known.status != .complete else {
            throw ImageError(
                .request, at: .decoding, "there is no frame \(index); the file has \(known.frames.count)",
                format: known.format)
        }
        throw ImageError(.incomplete, at: .decoding, "frame \(index) has not come yet", format: known.format)
    }
}
