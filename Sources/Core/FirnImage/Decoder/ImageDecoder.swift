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
}
