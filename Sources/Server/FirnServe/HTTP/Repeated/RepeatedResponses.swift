import FirnSync
import HTTPTypes
import NIOCore

/// The responses that an event loop has sent from memory, by the bytes of their requests.
///
/// Each loop has its own copies, because shared reference counts would move between cores with each request. Within one
/// second of the clock, and as long as a file counts as unchanged, a response is sent again without checking its result
/// and source.
///
/// Limited by the bytes of requests, heads and copied bodies.
final class RepeatedResponses: Sendable {
    /// A response, and the time at which its result and source were checked.
    private struct TimedEntry {
        let entry: RepeatedEntry
        let second: Int
        let time: Int64
    }

    private struct State {
        var entries: BoundedMap<Key, TimedEntry>
        /// The settings that the responses were made with.
        var generation = 0
        var date: (second: Int, text: ByteBuffer) = (.min, ByteBuffer())

        /// Returns a response and the current date field.
        mutating func value(for key: Key, _ peer: Peer) -> (TimedEntry, date: ByteBuffer)? {
            guard peer.generation == generation, let entry = entries.value(for: key) else { return nil }
            let second = ServeClock.seconds()
            if date.second != second { date = (second, ByteBuffer(string: ResponseDate.now)) }
            return (entry, date.text)
        }
    }

    /// The bytes of a request, and whether proxy fields in it are read.
    private struct Key: Hashable {
        let bytes: ByteBuffer
        let isTrusted: Bool
    }

    /// The minimum size of a loop's copies, in bytes.
    static let minimumBytes = 1 << 20

    private let service: ImageService
    private let names: RequestNames
    private let now: @Sendable () -> Int
    private let freshness: Int64
    private let limit: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - now: the seconds since 1970.
    init(_ service: ImageService, _ names: RequestNames, limit: Int, now: @escaping @Sendable () -> Int) {
        self.service = service
        self.names = names
        self.now = now
        self.limit = limit
        freshness = service.fileFreshness.nanoseconds
        state = Locked(State(entries: BoundedMap(limit: limit)))
    }

    /// Returns the response to a request with the same bytes as an earlier one; `nil` if there is none or its result
    /// must be made.
    func response(to bytes: ByteBuffer, _ peer: Peer) -> RepeatedResponse? {
        let key = Key(bytes: bytes, isTrusted: peer.isTrusted)
        let (second, time) = (now(), MonotonicClock.now())
        guard let (timed, date) = state.withLock({ $0.value(for: key, peer) }) else { return nil }
        let condition = timed.entry.recent.condition
        if timed.second == second, time - timed.time < freshness {
            service.countCompared()
        } else if condition.terms.freshUntil == .max,
            // Otherwise `Cache-Control` changes with the time.
            service.cached(condition.job, condition, isCompared: true) != nil
        {
            keep(TimedEntry(entry: timed.entry, second: second, time: time), bytes, peer)
        } else {
            return nil
        }
        return timed.entry.response(date: date, name: names.next())
    }

    /// Stores a response that was sent now.
    func keep(_ response: ResultResponse, hasBody: Bool, for bytes: ByteBuffer) {
        guard bytes.readableBytes <= ResponseKey.maximumBytes else { return }
        keep(
            TimedEntry(entry: RepeatedEntry(response, hasBody: hasBody), second: now(), time: MonotonicClock.now()),
            bytes,
            response.peer)
    }

    private func keep(_ timed: TimedEntry, _ bytes: ByteBuffer, _ peer: Peer) {
        // Copied, because the bytes are part of the connection's receive buffer.
        let key = Key(bytes: ByteBuffer(bytes: bytes.readableBytesView), isTrusted: peer.isTrusted)
        let cost = 512 + bytes.readableBytes + timed.entry.copiedBytes
        state.withLock { state in
            if peer.generation > state.generation {
                state.entries = BoundedMap(limit: limit)
                state.generation = peer.generation
            }
            if peer.generation == state.generation { state.entries.store(timed, for: key, cost: cost) }
        }
    }
}

/// The client of a connection under the current settings.
struct Peer: Sendable {
    /// The generation of the settings, which grows with each reload.
    let generation: Int
    /// True if it is a proxy whose fields are read.
    let isTrusted: Bool
}

/// The response to a known request, without the fields that differ between responses.
final class RepeatedEntry: Sendable {
    let recent: RecentResponse
    let language: RequestLanguage
    /// The status line and all fields except the date and the request ID.
    private let start: ByteBuffer
    /// The sent body; empty in a response to HEAD.
    private let body: ByteBuffer
    /// The length of the body in bytes, even if it is not sent.
    let bodyBytes: Int

    /// The maximum length of a copied body.
    private static let copied = 64 << 10
    /// The maximum length of a body that is sent together with the head: copying it is faster than a second write.
    private static let joined = 16 << 10

    init(_ response: ResultResponse, hasBody: Bool) {
        recent = response.recent
        language = response.language
        bodyBytes = response.body.readableBytes
        var start = ByteBuffer(string: "HTTP/1.1 200 OK\r\n")
        for field in response.allHeaders {
            start.writeString(field.name.rawName)
            start.writeStaticString(": ")
            start.writeString(field.value)
            start.writeStaticString("\r\n")
        }
        start.writeStaticString("Date: ")
        self.start = start
        body =
            !hasBody
            ? ByteBuffer()
            : bodyBytes <= RepeatedEntry.copied ? ByteBuffer(bytes: response.body.readableBytesView) : response.body
    }

    /// The number of bytes that are not shared with other loops.
    var copiedBytes: Int { start.readableBytes + (bodyBytes <= RepeatedEntry.copied ? body.readableBytes : 0) }

    func response(date: ByteBuffer, name: String) -> RepeatedResponse {
        let isJoined = body.readableBytes <= RepeatedEntry.joined
        var head = ByteBufferAllocator().buffer(
            capacity: start.readableBytes + 96 + (isJoined ? body.readableBytes : 0))
        head.writeImmutableBuffer(start)
        head.writeImmutableBuffer(date)
        head.writeStaticString("\r\nX-Request-ID: ")
        head.writeString(name)
        head.writeStaticString("\r\n\r\n")
        if isJoined { head.writeImmutableBuffer(body) }
        return RepeatedResponse(entry: self, name: name, head: head, body: isJoined ? nil : body)
    }
}

/// The bytes of a response.
struct RepeatedResponse {
    let entry: RepeatedEntry
    let name: String
    /// The head, with a short body.
    let head: ByteBuffer
    /// The body; `nil` if there is none or it follows the head in ``head``.
    let body: ByteBuffer?
}
