import FirnSync
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

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
    private let spans: SpanExporter?

    init(
        _ responder: ServeResponder, _ monitor: RequestMonitor, _ connections: ConnectionTable,
        _ spans: SpanExporter?
    ) {
        self.spans = spans
        current = Locked(Current(responder: responder, generation: 0))
        self.monitor = monitor
        self.connections = connections
    }

    /// Passes later requests to another responder.
    ///
    /// - Parameter responder: `nil` (the default) for the same, without the responses that are sent again unchecked.
    func replace(by responder: ServeResponder? = nil) {
        let generation = current.withLock { current in
            current = Current(responder: responder ?? current.responder, generation: current.generation + 1)
            return current.generation
        }
        reloads.max(generation, ordering: .releasing)
    }

    /// The number of reloads.
    var generation: Int { reloads.load(ordering: .acquiring) }

    /// The responder of the current settings.
    var responder: ServeResponder { current.withLock { $0.responder } }

    /// Returns the client at an address.
    func peer(at address: NetworkAddress?) -> Peer { current.withLock { $0 }.peer(at: address) }

    /// Returns the repeated responses of an event loop.
    func responses(of loop: any EventLoop) -> RepeatedResponses {
        let responder = responder
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
        // Load balancers request /health every few seconds.
        let trace = language == .health ? nil : spans?.trace(of: request.head)
        var status = 499
        var bytes = 0
        defer {
            trace?.end(request.head, language, status: status, source: context.note.withLock { $0.source })
            monitor.end(number, status: status, bytes: bytes)
        }
        var response = try await Trace.$current.withValue(trace) {
            try await makeResponse(language, request, context, current.responder)
        }
        response.headers[.requestName] = name
        // The next request of this client reaches another server.
        if monitor.isDraining { response.headers[.connection] = "close" }
        (status, bytes) = (response.status.code, response.body.contentLength ?? 0)
        return response
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
        let (start, trace) = (ContinuousClock.now, spans?.trace(of: head))
        let peer = current.peer(at: address)
        guard let (recent, body) = current.responder.cachedResponse(to: head, isTrusted: peer.isTrusted) else {
            return nil
        }
        let response = ResultResponse(
            recent: recent, language: language, body: body, peer: peer, name: names.name(of: head))
        monitor.responded(
            language, source: recent.source, name: response.name, bytes: body.readableBytes, start: start)
        trace?.end(head, language, status: 200, source: recent.source)
        return response
    }

    /// Returns the response to a request with the same bytes as one that was served from memory; `nil` if there is
    /// none, its result must be made, or the server drains. Such a request has no span: it belongs to no trace.
    ///
    /// - Parameter responses: those of the connection's event loop.
    func repeated(_ bytes: ByteBuffer, _ responses: RepeatedResponses, _ peer: Peer) -> RepeatedResponse? {
        let start = ContinuousClock.now
        guard !monitor.isDraining, let response = responses.response(to: bytes, peer) else { return nil }
        let entry = response.entry
        monitor.responded(
            entry.language, source: entry.recent.source, name: response.name, bytes: entry.bodyBytes, start: start)
        return response
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

extension Trace {
    /// Ends the span of a request.
    ///
    /// - Parameter source: the address of the source without secrets. The path is left out, since it has the signature.
    fileprivate func end(_ head: HTTPRequest, _ language: RequestLanguage, status: Int, source: String?) {
        let method = [.get, .head, .options].contains(head.method) ? head.method.rawValue : "_OTHER"
        let route = "/{\(language.rawValue)}"
        let origin = WebAddress("http://\(head.authority ?? "")").flatMap { Origin($0) }
        let failure = status >= 500 ? "\(status)" : nil
        end(
            "\(method) \(route)", .server, error: failure.map { _ in "" },
            [
                "http.request.method": method, "http.route": route, "url.scheme": head.scheme ?? "http",
                "server.address": origin?.host, "server.port": origin?.port, "http.response.status_code": status,
                "error.type": failure, "firn.source": source,
            ])
    }
}
