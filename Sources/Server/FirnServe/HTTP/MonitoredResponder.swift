import FirnHTTP
import FirnSync
import Hummingbird
import NIOCore
import Synchronization
import Tracing

/// Passes requests to the responder of the current settings, and reports each request.
final class MonitoredResponder: HTTPResponder {
    typealias Context = ServeContext

    /// The parts that a reload replaces together, so that a request sees one configuration.
    private struct Current {
        let responder: ServeResponder
        /// The number of reloads so far.
        let generation: Int

        func peer(at address: NetworkAddress?) -> Peer {
            Peer(generation: generation, isTrusted: responder.isTrusted(address))
        }
    }

    private let current: Locked<Current>
    private let reloads = Atomic(0)
    private let loops = Locked<[ObjectIdentifier: RepeatedResponses]>([:])
    private let monitor: RequestMonitor
    private let connections: ConnectionTable
    private let names = RequestNames()
    private let tracer: any Tracer
    /// True if a tracer records spans.
    private let isTraced: Bool

    init(
        _ responder: ServeResponder, _ monitor: RequestMonitor, _ connections: ConnectionTable,
        _ tracer: any Tracer
    ) {
        self.tracer = tracer
        isTraced = !(tracer is NoOpTracer)
        current = Locked(Current(responder: responder, generation: 0))
        self.monitor = monitor
        self.connections = connections
    }

    /// Passes later requests to another responder.
    func replace(by responder: ServeResponder) {
        let generation = current.withLock { current in
            current = Current(responder: responder, generation: current.generation + 1)
            return current.generation
        }
        reloads.max(generation, ordering: .releasing)
    }

    /// The number of reloads.
    var generation: Int { reloads.load(ordering: .acquiring) }

    /// Returns the client at an address.
    func peer(at address: NetworkAddress?) -> Peer { current.withLock { $0 }.peer(at: address) }

    /// Returns the repeated responses of an event loop.
    func responses(of loop: any EventLoop) -> RepeatedResponses {
        let responder = current.withLock { $0.responder }
        return loops.withLock { loops in
            if let responses = loops[ObjectIdentifier(loop)] { return responses }
            let bytes = responder.service.settings.resultMemory / 8 / System.coreCount
            let responses = RepeatedResponses(
                responder.service, names, limit: max(RepeatedResponses.minimumBytes, bytes), now: responder.now)
            loops[ObjectIdentifier(loop)] = responses
            return responses
        }
    }

    func respond(to request: Request, context: ServeContext) async throws -> Response {
        let target = request.head.path ?? "/"
        let current = current.withLock { $0 }
        let language = RequestLanguage(target: target, prefix: current.responder.prefix)
        let name = names.name(of: request.head)
        context.note.withLock { $0.name = name }
        let number = monitor.begin(language, context.note)
        do {
            var response = try await tracer.withAnySpan(
                "firn.serve.request", context: parent(of: request.head), ofKind: .server
            ) { span in
                let response = try await makeResponse(language, request, context, current.responder)
                span.attributes["firn.language"] = language.rawValue
                span.attributes["http.response.status_code"] = response.status.code
                return response
            }
            response.headers[.requestName] = name
            // The next request of this client reaches another server.
            if monitor.isDraining { response.headers[.connection] = "close" }
            monitor.end(number, status: response.status.code, bytes: response.body.contentLength ?? 0)
            return response
        } catch {
            monitor.end(number, status: 499, bytes: 0)
            throw error
        }
    }

    /// Returns the response to a request whose result is in memory; `nil` for any other request, and while the server
    /// drains.
    ///
    /// - Parameter address: the address of the client.
    func cachedResponse(to head: HTTPRequest, from address: NetworkAddress?) -> ResultResponse? {
        guard !monitor.isDraining else { return nil }
        let target = head.path ?? "/"
        let current = current.withLock { $0 }
        let language = RequestLanguage(target: target, prefix: current.responder.prefix)
        let start = ContinuousClock.now
        let peer = current.peer(at: address)
        guard let (recent, body) = current.responder.cachedResponse(to: head, isTrusted: peer.isTrusted) else {
            return nil
        }
        let response = ResultResponse(
            recent: recent, language: language, body: body, peer: peer, name: names.name(of: head))
        report(language, source: recent.source, response.name, body.readableBytes, start, parent(of: head))
        return response
    }

    /// Returns the response to a request with the same bytes as one that was served from memory; `nil` if there is none,
    /// its result must be made, or the server drains.
    ///
    /// - Parameter responses: those of the connection's event loop.
    func repeated(_ bytes: ByteBuffer, _ responses: RepeatedResponses, _ peer: Peer) -> RepeatedResponse? {
        let start = ContinuousClock.now
        guard !monitor.isDraining, let response = responses.response(to: bytes, peer) else { return nil }
        let entry = response.entry
        // Trace fields differ from request to request, so this request has none.
        report(entry.language, source: entry.recent.source, response.name, entry.bodyBytes, start, .topLevel)
        return response
    }

    /// Reports a response from memory.
    private func report(
        _ language: RequestLanguage, source: String?, _ name: String, _ bytes: Int, _ start: ContinuousClock.Instant,
        _ parent: ServiceContext
    ) {
        if isTraced {
            tracer.withAnySpan("firn.serve.request", context: parent, ofKind: .server) { span in
                span.attributes["firn.language"] = language.rawValue
                span.attributes["http.response.status_code"] = 200
            }
        }
        monitor.responded(language, source: source, name: name, bytes: bytes, start: start)
    }

    /// Returns the trace context that the client sent.
    private func parent(of head: HTTPRequest) -> ServiceContext {
        var context = ServiceContext.topLevel
        if isTraced { tracer.extract(head.headerFields, into: &context, using: FieldExtractor()) }
        return context
    }

    private func makeResponse(
        _ language: RequestLanguage, _ request: Request, _ context: ServeContext, _ responder: ServeResponder
    ) async throws -> Response {
        if language == .health, monitor.isDraining { return ServeResponse.health(isDraining: true) }
        guard !MonitoredResponder.hasBody(request.headers) else {
            var response = ServeResponse.text(.contentTooLarge, "requests have no body")
            response.headers[.connection] = "close"
            return response
        }
        var context = context
        context.presence = connections.presence(of: context.connection)
        return try await responder.respond(to: request, context: context)
    }

    private static func hasBody(_ headers: HTTPFields) -> Bool {
        headers[.transferEncoding] != nil || (headers[.contentLength].map { $0 != "0" } ?? false)
    }
}

/// Reads fields of a request by their names.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? { fields.value(key) }
}
