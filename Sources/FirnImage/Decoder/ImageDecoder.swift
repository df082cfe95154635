import FirnSync
public import FoundationEssentials

/// Decodes one file, still or animated, as its bytes arrive.
///
/// The counterpart of a browser's image decoder: fed with ``append(_:)``, or with ``setData(_:allDataReceived:)`` by a
/// loader that always hands over everything so far, it tells type, size, frames and their durations as soon as the
/// bytes do, and decodes any frame at any size. However the bytes are split, the results are the same.
///
///     let decoder = ImageDecoder(decoders: decoders)
///     try decoder.append(bytes)
///     decoder.finish()
///     let image = try decoder.frame(at: 0).image()
///
/// Threads: all calls may be made on any thread. Handing over bytes never waits. ``frame(at:options:)``,
/// ``preview(_:)`` and ``advance(_:)`` compute on the calling thread and wait for each other. Questions
/// (``status``, ``frameCount``, …) look at the bytes that came since the last question, which costs little; while
/// another thread decodes they do not wait but answer as of the moment that decode began.
///
/// Failures stay: a file that is damaged where it is described has ``status-swift.property`` `error` for good. A frame
/// that is damaged fails where it is decoded, and leaves the others.
///
/// Memory: the bytes are held, never copied into one piece; decoded pixels belong to the caller.
public final class ImageDecoder: @unchecked Sendable {
    // Safety: `work` is only touched by the thread that has the turn; the rest is under its lock.
    private let work: DecoderWork
    private let turn = DecodingTurn()
    private let inbox: Locked<DecoderInbox>
    /// What the file is held to.
    public let limits: ImageLimits

    /// Creates a decoder without data.
    ///
    /// - Parameters:
    ///   - decoders: asked in order, by content; the first one that recognizes the file decodes it.
    ///   - limits: what the file is held to. Default: those of `ImageLimits()`.
    public init(decoders: [any ImageDecoding], limits: ImageLimits = ImageLimits()) {
        self.limits = limits
        work = DecoderWork(decoders: decoders, limits: limits)
        inbox = Locked(DecoderInbox(maximumBytes: limits.maximumBytes))
    }

    // MARK: Bytes

    /// Appends the next bytes of the file. They are held, not copied; nothing is decoded here.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`, which stays;
    ///   ``ImageDecodingError/Fault/request`` after ``finish()``, which changes nothing; the failure that stays, if there is one.
    public func append(_ data: Data) throws(ImageDecodingError) {
        try inbox.withLock { inbox throws(ImageDecodingError) in try inbox.append(.data(data)) }
    }

    /// Hands over bytes at rest as the next bytes of the file. They are read as far as they are needed, when they are.
    ///
    /// - Throws: as ``append(_:)``.
    package func append(contentsOf source: any ByteSource) throws(ImageDecodingError) {
        try inbox.withLock { inbox throws(ImageDecodingError) in try inbox.append(.source(source)) }
    }

    /// Marks the data as complete. From here on missing bytes are an error, not a wait.
    public func finish() { inbox.withLock { $0.finish() } }

    /// Sets all bytes of the file so far; the new ones are appended.
    ///
    /// - Parameters:
    ///   - data: the file from its first byte. The bytes of earlier calls are not looked at again.
    ///   - allDataReceived: whether `data` is the whole file.
    /// - Throws: as ``append(_:)``; ``ImageDecodingError/Fault/request`` if `data` is shorter than before, which changes nothing.
    public func setData(_ data: Data, allDataReceived: Bool) throws(ImageDecodingError) {
        try inbox.withLock { inbox throws(ImageDecodingError) in
            let received = inbox.received
            guard data.count >= received else {
                throw ImageDecodingError(
                    .request, "\(data.count) bytes were handed over as the whole so far, after \(received)")
            }
            if data.count > received {
                // A growing buffer that is held would be copied as a whole each time its owner appends to it.
                let isWhole = received == 0 && allDataReceived
                try inbox.append(.data(isWhole ? data : KeptBytes.copy(data.dropFirst(received))))
            }
            if allDataReceived { inbox.finish() }
        }
    }

    /// Whether the last byte has been handed over.
    public var isAllDataReceived: Bool { inbox.withLock { $0.isFinished } }

    /// Bytes handed over so far.
    public var receivedBytes: Int { inbox.withLock { $0.received } }

    // MARK: Decoding

    /// What is known now, or when the decode that another thread is at began.
    var snapshot: DecoderSnapshot {
        let (isStale, last) = inbox.withLock { ($0.isStale, $0.snapshot) }
        guard isStale, turn.takeIfFree() else { return last }
        defer { turn.leave() }
        return settle()
    }

    /// Runs `body` with the session, once it is this thread's turn, and brings what is known up to date around it.
    func withSession<Result>(
        _ body: (any ImageDecodingSession, DecoderSnapshot) throws(ImageDecodingError) -> Result
    ) throws(ImageDecodingError) -> Result {
        turn.take()
        defer { turn.leave() }
        let known = settle()
        if let error = known.error { throw error }
        let (session, flag) = try work.ready()
        inbox.withLock { $0.running = flag }
        defer {
            inbox.withLock { $0.running = nil }
            settle()
        }
        return try body(session, known)
    }

    /// Stops the decode that another thread is at, if there is one: it throws ``ImageDecodingError/Fault/cancelled``. The
    /// decoder stays usable; the next decode begins anew, over the bytes there are.
    public func cancelDecoding() {
        inbox.withLock { $0.running?.cancel() }
    }

    /// Takes the bytes that have come and works out what is known. Only in one's turn.
    @discardableResult
    private func settle() -> DecoderSnapshot {
        let (pieces, isFinished) = inbox.withLock { $0.takePending() }
        work.take(pieces, isFinished: isFinished)
        let known = work.snapshot()
        return inbox.withLock { inbox in
            inbox.publish(known, isFinished: isFinished)
            return inbox.snapshot
        }
    }
}
