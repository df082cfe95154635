import FirnSync
package import FoundationEssentials

/// The part of an image decoder that only the thread with the decoding turn uses: recognition, session and failures.
///
/// Recognition: decoders are tried in order on the first bytes, each time these have at least doubled, until
/// ``ImageFormat/sniffLength`` bytes or the end of the file have arrived. Until then, the first decoder that recognizes
/// them is provisional: an earlier decoder that needs more bytes may still replace it.
///
/// Invariant: the result depends only on the bytes, not on how they are split, because the last try always has the same
/// bytes, and failures of a provisional session do not count.
final class DecoderWork {
    private let decoders: [any ImageDecoding]
    private let limits: ImageLimits
    private var kept = ReceivedBytes()
    private var head = Data()
    /// The error of reading the head, if any.
    private var headFailure: ImageError?
    /// The length of the head at the last try.
    private var requestedLength = 0
    private var isDecided = false
    private var isFinished = false
    private var chosen: (index: Int, format: ImageFormat)?
    private var session: (any ImageDecodingSession)?
    private var cancellation = CancellationFlag()
    private var sessionFailure: ImageError?
    /// True if ``known`` has the frames of the whole file, which may be tens of thousands.
    private var framesAreFinal = false
    private var known = DecoderSnapshot()

    /// The length of the head at the first try.
    private static let firstQuestion = 4

    init(decoders: [any ImageDecoding], limits: ImageLimits) {
        self.decoders = decoders
        self.limits = limits
    }

    /// Adds the next bytes.
    func take(_ pieces: [any ByteSource], isFinished last: Bool) {
        for piece in pieces {
            kept.append(piece)
            if head.count < ImageFormat.sniffLength {
                do {
                    let count = min(ImageFormat.sniffLength - head.count, piece.count)
                    head.append(try piece.read(at: 0, count: count))
                } catch {
                    // Order: first, so that a read error is not mistaken for an empty file.
                    headFailure =
                        headFailure ?? ImageError(.data, at: .decoding, "cannot read the file: \(error)")
                }
            }
            guard let session, sessionFailure == nil else { continue }
            do throws(ImageError) { try session.append(contentsOf: piece) } catch { note(error) }
        }
        let ends = last && !isFinished
        isFinished = isFinished || last
        let fed = session
        recognize()
        // A session opened by this call is already finished.
        if ends, let session, session === fed { session.finish() }
    }

    /// Returns the flag that stops what the session does next. Replaces a cancelled session, which stays cancelled, by
    /// another over the same bytes.
    func begin() -> CancellationFlag {
        if cancellation.isCancelled, chosen != nil { open() }
        return cancellation
    }

    /// Returns the current state.
    func snapshot() -> DecoderSnapshot {
        if let session, sessionFailure == nil {
            do throws(ImageError) {
                known.properties = try session.properties()
                if !framesAreFinal {
                    known.frames = try session.frames()
                    framesAreFinal = isFinished
                }
                if known.properties == nil, isFinished {
                    throw ImageError(
                        .data, at: .decoding, "the file ends before its header is complete", format: chosen?.format)
                }
            } catch {
                note(error)
            }
            known.bytesNeeded = session.bytesNeeded
        }
        known.format = known.properties?.format ?? chosen?.format
        known.error = isDecided ? sessionFailure : nil
        known.isFinished = isFinished
        return known
    }

    /// Returns the session, ready to decode, and the flag that stops it. Requires that there is no permanent failure.
    ///
    /// - Throws: ``ImageError/Fault/incomplete`` before the size is known.
    func ready() throws(ImageError) -> (session: any ImageDecodingSession, flag: CancellationFlag) {
        if cancellation.isCancelled {
            throw ImageError(
                .cancelled, at: .decoding, "the description of the file was cancelled", format: chosen?.format)
        }
        guard let session, known.properties != nil else {
            throw ImageError(.incomplete, at: .decoding, "the image's size has not come yet", format: chosen?.format)
        }
        return (session, cancellation)
    }

    /// Stores a permanent failure. Missing bytes are not permanent; a cancelled session is replaced.
    private func note(_ error: ImageError) {
        guard error.fault != .incomplete, error.fault != .cancelled, sessionFailure == nil else { return }
        sessionFailure = error
    }

    private func recognize() {
        guard !isDecided else { return }
        let isLast = isFinished || head.count >= ImageFormat.sniffLength
        guard isLast || head.count >= max(DecoderWork.firstQuestion, requestedLength * 2) else { return }
        requestedLength = head.count
        isDecided = isLast
        let previous = chosen?.index
        chosen = nil
        for (index, decoder) in decoders.enumerated() where chosen == nil {
            chosen = decoder.recognizes(head).map { (index, $0) }
        }
        if chosen == nil || chosen?.index != previous { open() }
        guard chosen == nil, isLast else { return }
        sessionFailure =
            headFailure
            ?? (head.isEmpty ? ImageError(.data, at: .decoding, "there are no bytes") : UnknownContent.error(head))
    }

    /// Opens a session of the chosen decoder, if there is one, over all bytes received so far.
    private func open() {
        (session, sessionFailure, framesAreFinal, known) = (nil, nil, false, DecoderSnapshot())
        guard let chosen else { return }
        cancellation = CancellationFlag()
        let session = decoders[chosen.index].makeSession(limits: limits, cancellation: cancellation)
        self.session = session
        do throws(ImageError) {
            for piece in kept.pieces { try session.append(contentsOf: piece) }
            if isFinished { session.finish() }
        } catch {
            note(error)
        }
    }
}

/// A snapshot of the known state of a file, readable while a decode runs.
struct DecoderSnapshot: Sendable {
    var error: ImageError?
    var format: ImageFormat?
    var properties: ImageProperties?
    var frames: [FrameProperties] = []
    var bytesNeeded: Int?
    /// True if all bytes have been received.
    var isFinished = false

    var status: ImageDecoder.Status {
        if error != nil { return .error }
        if properties != nil { return isFinished ? .complete : .sizeAvailable }
        return format == nil ? .unknown : .typeAvailable
    }

    /// Returns the frame of an index; `nil` if it is unknown.
    func frame(_ index: Int) -> FrameProperties? { frames.indices.contains(index) ? frames[index] : nil }
}

/// The bytes of a file as they arrived, kept so that a second session can be opened over them.
///
/// Chunks are retained, not copied. Only very small chunks are joined, so that a file that arrives byte by byte does
/// not cost a reference per byte.
struct ReceivedBytes {
    /// Chunks with fewer bytes are joined.
    private static let smallPiece = 4096
    /// The length at which a joined chunk is closed.
    private static let gatheredPiece = 64 << 10

    private(set) var pieces: [any ByteSource] = []
    private var lastIsGathered = false

    /// Adds the next bytes.
    mutating func append(_ piece: any ByteSource) {
        guard let data = (piece as? MemoryByteSource)?.data, data.count < ReceivedBytes.smallPiece else {
            pieces.append(piece)
            lastIsGathered = false
            return
        }
        if lastIsGathered, var gathered = (pieces.last as? MemoryByteSource)?.data,
            gathered.count < ReceivedBytes.gatheredPiece
        {
            // Order: removed first, so that appending does not copy the joined chunk.
            pieces.removeLast()
            gathered.append(data)
            pieces.append(MemoryByteSource(gathered))
        } else {
            pieces.append(MemoryByteSource(ReceivedBytes.copy(data)))
            lastIsGathered = true
        }
    }

    /// Returns a copy of the bytes.
    static func copy(_ data: Data) -> Data { data.withUnsafeBytes { Data($0) } }
}

/// Describes content that no decoder recognizes, based on its first bytes.
package enum UnknownContent {
    /// Returns the error for content that starts with `head`.
    package static func error(_ head: Data) -> ImageError {
        if let format = ImageFormat(head) {
            let trait = KnownFormat.of(format)?.trait
            let advice = trait.map { "enable the package trait \($0)" } ?? "add a decoder for it"
            return ImageError(
                .unsupported, at: .decoding, "no decoder for this format is here; \(advice)", format: format)
        }
        let text = String(decoding: head.prefix(256), as: UTF8.self).lowercased().drop(while: \.isWhitespace)
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head") {
            return ImageError(.data, at: .decoding, "not an image: the content is an HTML page")
        }
        if ["<?xml", "<!--", "<!doctype"].contains(where: text.hasPrefix) {
            return ImageError(.data, at: .decoding, "not an image: the content is XML")
        }
        let bytes = head.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return ImageError(
            .data, at: .decoding,
            "not an image of a known format: the content starts with \(bytes.joined(separator: " "))")
    }
}
