import FirnData
import FirnSync
import HTTPTypes
import NIOCore

/// The responses that an event loop has given from memory, by all bytes of their requests.
///
/// Each loop has its own, with copies of what it sends: whatever two loops count references to moves from core to core
/// with each request. Within a second of the clock, and as long as a file counts as unchanged, a response is given
/// again without a look at its result and its source.
///
/// Bounded: by the bytes of requests, heads and copied bodies.
final class RepeatedResponses: Sendable {
    /// A response, and the time when its result and source were looked at.
    private struct Kept {
        let entry: RepeatedEntry
        let second: Int
        let time: Int64
    }

    private struct State {
        var kept: BoundedMap<Key, Kept>
        /// The settings that the responses were made with.
        var generation = 0
        var date: (second: Int, text: ByteBuffer) = (.min, ByteBuffer())

        /// Returns whether the responses are made with the settings of a request.
        func has(_ peer: Peer) -> Bool { peer.generation == generation }

        /// Returns a response, and the date of one that is sent now.
        mutating func value(for key: Key, _ peer: Peer) -> (Kept, date: ByteBuffer)? {
            guard has(peer), let found = kept.value(for: key) else { return nil }
            let second = ServeClock.seconds()
            if date.second != second { date = (second, ByteBuffer(string: ResponseDate.now)) }
            return (found, date.text)
        }
    }

    /// All bytes of a request, and whether the fields of a proxy in it are read.
    private struct Key: Hashable {
        let bytes: ByteBuffer
        let isTrusted: Bool
    }

    /// The fewest bytes that are worth a copy for each loop.
    static let minimumBytes = 1 << 20

    private let service: ImageService
    private let names: RequestNames
    private let now: @Sendable () -> Int
    private let freshness: Int64
    private let limit: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - limit: the most bytes.
    ///   - now: the seconds since 1970.
    init(_ service: ImageService, _ names: RequestNames, limit: Int, now: @escaping @Sendable () -> Int) {
        self.service = service
        self.names = names
        self.now = now
        self.limit = limit
        freshness = service.fileFreshness.nanoseconds
        state = Locked(State(kept: BoundedMap(limit: limit)))
    }

    /// Returns the response to a request in the same bytes as one before; `nil` if there is none, or its result has to
    /// be made.
    func response(to bytes: ByteBuffer, _ peer: Peer) -> RepeatedResponse? {
        let key = Key(bytes: bytes, isTrusted: peer.isTrusted)
        let (second, time) = (now(), MonotonicClock.now())
        guard let (kept, date) = state.withLock({ $0.value(for: key, peer) }) else { return nil }
        let condition = kept.entry.known.condition
        if kept.second == second, time - kept.time < freshness {
            service.countCompared()
        } else if service.cached(condition.job, entityTag: condition.entityTag, isCompared: true) != nil {
            keep(Kept(entry: kept.entry, second: second, time: time), bytes, peer)
        } else {
            return nil
        }
        return kept.entry.response(date: date, name: names.next())
    }

    /// Keeps a response that was given now.
    func keep(_ response: ResultResponse, hasBody: Bool, for bytes: ByteBuffer) {
        guard bytes.readableBytes <= ResponseKey.maximumBytes else { return }
        keep(
            Kept(entry: RepeatedEntry(response, hasBody: hasBody), second: now(), time: MonotonicClock.now()), bytes,
            response.peer)
    }

    private func keep(_ kept: Kept, _ bytes: ByteBuffer, _ peer: Peer) {
        // A copy: the bytes lie in a buffer for all that the connection receives.
        let key = Key(bytes: ByteBuffer(bytes: bytes.readableBytesView), isTrusted: peer.isTrusted)
        let cost = 512 + bytes.readableBytes + kept.entry.copiedBytes
        state.withLock { state in
            if peer.generation > state.generation {
                state.kept = BoundedMap(limit: limit)
                state.generation = peer.generation
            }
            if state.has(peer) { state.kept.store(kept, for: key, cost: cost) }
        }
    }
}

/// The other end of a connection, as the settings see it.
struct Peer: Sendable {
    /// The number of the settings: greater after each reload.
    let generation: Int
    /// True if it is a proxy whose fields are read.
    let isTrusted: Bool
}

/// The response to a request that is known by its bytes: a head that lacks what each response has of its own.
final class RepeatedEntry: Sendable {
    let known: RecentResponse
    let language: RequestLanguage
    /// The status line and all fields but the date and the name of the request.
    private let start: ByteBuffer
    /// The body as it is sent; empty in a response to HEAD.
    private let body: ByteBuffer
    /// The bytes of the body, also of one that is not sent.
    let bodyBytes: Int

    /// The longest body that is copied.
    private static let copied = 64 << 10
    /// The longest body that is sent in one piece with the head: copying it takes less time than a second piece.
    private static let joined = 16 << 10

    init(_ response: ResultResponse, hasBody: Bool) {
        known = response.known
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

    /// The bytes that no other loop has.
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
    /// The head, and a short body.
    let head: ByteBuffer
    /// `nil` if there is none, or it is behind the head.
    let body: ByteBuffer?
}
