import FirnSync
import HTTPTypes
import Hummingbird
import Tracing

/// Passes requests to the responder of the current settings, and reports each request.
struct MonitoredResponder: HTTPResponder {
    typealias Context = ServeContext

    /// What a reload replaces as a whole, so that a request sees one configuration.
    private struct Current {
        let responder: ServeResponder
        let prefix: String
    }

    private let current: Locked<Current>
    private let monitor: RequestMonitor
    private let state: ServerState
    private let connections: ConnectionTable

    init(
        _ responder: ServeResponder, _ settings: ServeSettings, _ monitor: RequestMonitor, _ state: ServerState,
        _ connections: ConnectionTable
    ) {
        current = Locked(Current(responder: responder, prefix: settings.imgproxy.pathPrefix))
        self.monitor = monitor
        self.state = state
        self.connections = connections
    }

    /// Passes later requests to another responder.
    func replace(by responder: ServeResponder, _ settings: ServeSettings) {
        let next = Current(responder: responder, prefix: settings.imgproxy.pathPrefix)
        current.withLock { $0 = next }
    }

    func respond(to request: Request, context: ServeContext) async throws -> Response {
        let target = request.head.path ?? "/"
        let current = current.withLock { $0 }
        let language = RequestLanguage(target: target, prefix: current.prefix)
        let number = monitor.begin(language, context.note)
        do {
            let response = try await withSpan("firn.serve.request", ofKind: .server) { span in
                let response = try await makeResponse(language, request, context, current.responder)
                span.attributes["firn.language"] = language.rawValue
                span.attributes["http.response.status_code"] = response.status.code
                return response
            }
            monitor.end(number, status: response.status.code, bytes: response.body.contentLength ?? 0)
            return response
        } catch {
            monitor.end(number, status: 499, bytes: 0)
            throw error
        }
    }

    /// Returns the response to a request whose result is in memory; `nil` for any other request.
    func cachedResponse(to head: HTTPRequest) -> ResultResponse? {
        let target = head.path ?? "/"
        let current = current.withLock { $0 }
        let language = RequestLanguage(target: target, prefix: current.prefix)
        let request = RequestMonitor.Running(language: language, note: RequestNote(), start: .now)
        guard let response = current.responder.cachedResponse(to: head, request.note) else {
            return nil
        }
        withSpan("firn.serve.request", ofKind: .server) { span in
            span.attributes["firn.language"] = language.rawValue
            span.attributes["http.response.status_code"] = 200
        }
        monitor.responded(request, status: 200, bytes: response.body.readableBytes)
        return response
    }

    private func makeResponse(
        _ language: RequestLanguage, _ request: Request, _ context: ServeContext, _ responder: ServeResponder
    ) async throws -> Response {
        if language == .health, state.isDraining { return ServeResponse.health(state) }
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
